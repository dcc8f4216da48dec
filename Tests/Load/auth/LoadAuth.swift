import EventLoop
import Glibc
import LoadClient
import TestSupport

/// `load-auth [SECONDS]` measures profile reads beside a bare reply, logins beside bare hashing, and reads during a
/// flood of logins. `load-auth serve PORT LOOPS` is the bare server that it starts.
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
        try await AuthLoadFixture().lent { fixture in
            let users = try await fixture.openAccounts(16)
            var verdicts = Verdicts()
            try await ReadCost(fixture: fixture, users: users, seconds: seconds).run(&verdicts)
            try await LoginRate(fixture: fixture, users: users, seconds: seconds).run(&verdicts)
            try await Flood(fixture: fixture, users: users, seconds: seconds).run(&verdicts)
            try verdicts.settle()
        }
    }

    /// Prints a line and flushes it.
    static func report(_ text: String) {
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
