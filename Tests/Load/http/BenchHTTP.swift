import Glibc
import LoadClient

/// `bench-http`: a client's call to the built payment-service beside nginx's `return 200` of the same bytes.
@main struct BenchHTTP: MeasuringProgram {
    static func measure() async throws {
        guard let plan = BenchPlan(arguments: Array(CommandLine.arguments.dropFirst())) else {
            print("usage:", BenchPlan.usage)
            exit(2)
        }
        try await Comparison(plan: plan).run()
    }
}

/// How long and with how many connections to measure.
struct BenchPlan {
    var rounds = 5
    var seconds = 3
    var connections = 64
    var soak = true

    static let usage = "bench-http [--rounds 5] [--seconds 3] [--connections 64] [--no-soak]"

    /// Nil for arguments that are not understood.
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
