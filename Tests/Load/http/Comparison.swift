import LoadClient
import TestSupport

/// Alternating rounds of the service and nginx, neither of which writes an access log.
struct Comparison {
    let plan: BenchPlan
    private let folder = TemporaryFolder("bench-http")

    init(plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let one = try await measure(loops: 1)
        let two = try await measure(loops: 2)
        print("")
        print("two loops     ours / one loop        \((two.ours / one.ours).text)")
        var verdicts = Verdicts()
        let ratio = one.ours / one.nginx
        verdicts.add("keep-alive    ours / nginx           \(ratio.text), 1.20 at most", ratio <= 1.2)
        verdicts.add(
            "idle          anonymous memory       \(one.idleMemory) KiB, \(two.idleMemory) KiB, 20480 at most",
            max(one.idleMemory, two.idleMemory) <= 20480)
        if plan.soak { try await soak() }
        try verdicts.settle()
    }

    private struct Medians {
        var ours, nginx: Double
        /// KiB before the first load.
        var idleMemory: Int
    }

    private func measure(loops: Int) async throws -> Medians {
        var measured: Medians?
        try await ServiceUnderLoad(loops: loops).lent { ours in
            let nginx = try await Nginx.start(workers: loops, replying: ours.reply, in: folder)
            let idleMemory = ours.service.meter.anonymousBytes / 1024
            var runs = (ours: [Double](), nginx: [Double]())
            for _ in 0..<plan.rounds {
                runs.ours.append(try await load(ours.service.publicPort, ours.service.meter, ours).processorPerRequest)
                runs.nginx.append(try await load(nginx.port, nginx.meter, ours).processorPerRequest)
            }
            await nginx.process.stop()
            let medians = Medians(ours: runs.ours.median, nginx: runs.nginx.median, idleMemory: idleMemory)
            print("server CPU a request, µs, median of \(plan.rounds) rounds, \(loops) loop\(loops == 1 ? "" : "s"):")
            print("  keep-alive    ours \(medians.ours.text)   nginx \(medians.nginx.text)")
            measured = medians
        }
        return measured!
    }

    private func load(_ port: UInt16, _ meter: ProcessMeter, _ ours: ServiceUnderLoad) async throws -> Load.Outcome {
        try await Load(tokens: ours.tokens, connections: plan.connections, seconds: plan.seconds)
            .run(on: port, of: meter, in: folder)
    }

    /// Memory after a warm-up, and after a million requests more.
    private func soak() async throws {
        try await ServiceUnderLoad(loops: 2).lent { ours in
            let (port, meter) = (ours.service.publicPort, ours.service.meter)
            _ = try await load(port, meter, ours)
            let before = meter.anonymousBytes / 1024
            var requests = 0
            while requests < 1_000_000 { requests += try await load(port, meter, ours).requests }
            let after = meter.anonymousBytes / 1024
            print("soak          \(requests) requests   anonymous memory before and after: \(before) KiB, \(after) KiB")
        }
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        return sorted.count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
    }
}

extension Double {
    /// The number with two decimals.
    var text: String {
        let hundredths = Int((self * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
