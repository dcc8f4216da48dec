import EventLoop
import Glibc
import LoadClient
import TestSupport

/// `load-auth [SECONDS]`: profile reads beside the bare reply, logins beside bare hashing, and reads under a flood of logins;
/// `load-auth serve PORT LOOPS` is the bare server that it starts.
@main
struct LoadAuth {
    static func main() async {
        DescriptorLimit.raise()
        do {
            let arguments = CommandLine.arguments
            if arguments.count == 4, arguments[1] == "serve", let port = UInt16(arguments[2]),
                let loops = Int(arguments[3])
            {
                return try await BareServer.run(port: port, loops: loops)
            }
            try await run(seconds: arguments.dropFirst().first.flatMap { Int($0) } ?? 5)
        } catch {
            print("load-auth: \(error)")
            exit(1)
        }
    }

    private static func run(seconds: Int) async throws {
        let house = try await LoadedHouse.start()
        let people = try await house.open(16)
        try await ReadCost(house: house, people: people, seconds: seconds).run()
        try await LoginRate(house: house, people: people, seconds: seconds).run()
        try await Flood(house: house, people: people, seconds: seconds).run()
        await house.stop()
    }

    static func verdict(_ text: String, _ isMet: Bool) { say("\(isMet ? "met   " : "MISSED") \(text)") }

    /// Prints a line, at once even into a file.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// Lets `count` connections run `body` on a loop.
    static func measure(
        on loop: EventLoop, _ count: Int, _ port: UInt16, _ body: @escaping @Sendable (LoadRun) async -> LoadOutcome
    ) async throws -> LoadOutcome {
        try await loop.run {
            var connections: [LoadConnection] = []
            for _ in 0..<count {
                connections.append(
                    try await LoadConnection.open(SocketAddress(ip: "127.0.0.1", port: port)!, on: loop))
            }
            let outcome = await body(LoadRun(on: loop, connections))
            for connection in connections { connection.close() }
            return outcome
        }
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
