import EventLoop
import Glibc
import LoadClient
import TestSupport

/// `load-auth [SECONDS]`: profile reads beside the bare reply, logins beside bare hashing, and reads under a flood of logins;
/// `load-auth serve PORT LOOPS` is the bare server that it starts.
@main
struct LoadAuth: MeasuringProgram {
    static func measure() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "serve", let port = UInt16(arguments[2]),
            let loops = Int(arguments[3])
        {
            return try await BareServer.run(port: port, loops: loops)
        }
        try await run(seconds: seconds(or: 5))
    }

    private static func run(seconds: Int) async throws {
        try await LoadedHouse().lent { house in
            let people = try await house.open(16)
            var verdicts = Verdicts()
            try await ReadCost(house: house, people: people, seconds: seconds).run(&verdicts)
            try await LoginRate(house: house, people: people, seconds: seconds).run(&verdicts)
            try await Flood(house: house, people: people, seconds: seconds).run(&verdicts)
            try verdicts.settle()
        }
    }

    /// Prints a line, at once even into a file.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}

extension Double {
    var tenths: String { "\((self * 10).rounded() / 10)" }
    var hundredths: String { "\((self * 100).rounded() / 100)" }
}
