import LoadClient
import TestSupport

/// Alternating rounds of a service and nginx, which writes no access log either, and what they come to.
struct Comparison {
    let plan: BenchPlan
    private let folder = TemporaryFolder("bench-http")

    init(plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let redis = try await RedisServer.start()
        let one = try await measure(loops: 1, redis)
        let two = try await measure(loops: 2, redis)
        print("")
        print("two loops     ours / one loop        \((two.ours / one.ours).text)")
        var verdicts = Verdicts()
        let (keptAlive, pipelined) = (one.ours / one.nginx, one.pipelined / one.ours)
        verdicts.add("keep-alive    ours / nginx           \(keptAlive.text), 1.20 at most", keptAlive <= 1.2)
        verdicts.add("pipelined 16  ours / our keep-alive  \(pipelined.text), 0.25 at most", pipelined <= 0.25)
        verdicts.add(
            "idle          anonymous memory       \(one.idleMemory) KiB, \(two.idleMemory) KiB, 20480 at most",
            max(one.idleMemory, two.idleMemory) <= 20480)
        if plan.soak { try await soak(redis) }
        try verdicts.settle()
    }

    private struct Medians {
        var ours, nginx, pipelined, pipelinedNginx: Double
        /// KiB before the first load.
        var idleMemory: Int
    }

    private func measure(loops: Int, _ redis: RedisServer) async throws -> Medians {
        let ours = try await ServiceUnderLoad.start(loops: loops, redis: redis, in: folder)
        let nginx = try await Nginx.start(workers: loops, in: folder)
        let idleMemory = try ProcessUse.of(ours.process.pid).memory
        var runs = (ours: [Double](), nginx: [Double](), pipelined: [Double](), pipelinedNginx: [Double]())
        for _ in 0..<plan.rounds {
            runs.ours.append(try await load(ours.port, ours.process, ours.tokens))
            runs.nginx.append(try await load(nginx.port, nginx.process, ours.tokens))
            runs.pipelined.append(try await load(ours.port, ours.process, ours.tokens, depth: 16))
            runs.pipelinedNginx.append(try await load(nginx.port, nginx.process, ours.tokens, depth: 16))
        }
        await ours.process.stop(9)
        await nginx.process.stop()
        let medians = Medians(
            ours: runs.ours.median, nginx: runs.nginx.median, pipelined: runs.pipelined.median,
            pipelinedNginx: runs.pipelinedNginx.median, idleMemory: idleMemory)
        print("server CPU a request, µs, median of \(plan.rounds) rounds, \(loops) loop\(loops == 1 ? "" : "s"):")
        print("  keep-alive    ours \(medians.ours.text)   nginx \(medians.nginx.text)")
        print("  pipelined 16  ours \(medians.pipelined.text)   nginx \(medians.pipelinedNginx.text)")
        return medians
    }

    private func load(
        _ port: UInt16, _ process: ChildProcess, _ tokens: [String], depth: Int = 1, seconds: Int? = nil
    ) async throws -> Double {
        try await Load(tokens: tokens, connections: plan.connections, seconds: seconds ?? plan.seconds, depth: depth)
            .run(on: port, of: process, in: folder).processorPerRequest
    }

    /// Memory after a warm-up and after a million requests more.
    private func soak(_ redis: RedisServer) async throws {
        let ours = try await ServiceUnderLoad.start(loops: 2, redis: redis, in: folder)
        _ = try await load(ours.port, ours.process, ours.tokens, depth: 16)
        let before = try ProcessUse.of(ours.process.pid).memory
        var requests = 0
        while requests < 1_000_000 {
            requests += try await Load(
                tokens: ours.tokens, connections: plan.connections, seconds: plan.seconds, depth: 16
            ).run(on: ours.port, of: ours.process, in: folder).requests
        }
        let after = try ProcessUse.of(ours.process.pid).memory
        await ours.process.stop(9)
        print("soak          \(requests) requests   anonymous memory before and after: \(before) KiB, \(after) KiB")
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        return sorted.count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
    }
}

extension Double {
    /// Two digits behind the point.
    var text: String {
        let hundredths = Int((self * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
