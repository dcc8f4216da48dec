import Glibc
import LoadClient
import TestSupport

/// Holds a service against nginx: `bench-http` compares, `bench-http serve PORT LOOPS REDIS TOKENS` is the service that it
/// starts.
@main struct BenchHTTP: MeasuringProgram {
    static func measure() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 6, arguments[1] == "serve", let port = UInt16(arguments[2]),
            let loops = Int(arguments[3]),
            let redis = UInt16(arguments[4])
        {
            return try await BenchService.run(port: port, loops: loops, redis: redis, tokens: arguments[5])
        }
        guard let plan = BenchPlan(arguments: Array(arguments.dropFirst())) else {
            print("usage:", BenchPlan.usage)
            exit(2)
        }
        try await Comparison(plan: plan).run()
    }
}

/// How long and how hard to measure.
struct BenchPlan {
    var rounds = 5
    var seconds = 3
    var connections = 64
    var soak = true

    static let usage = "bench-http [--rounds 5] [--seconds 3] [--connections 64] [--no-soak]"

    /// Nil for what cannot be understood.
    init?(arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--no-soak" {
                soak = false
                continue
            }
            guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return nil }
            switch name {
            case "--rounds": rounds = value
            case "--seconds": seconds = value
            case "--connections": connections = value
            default: return nil
            }
        }
    }
}
