import TestSupport

/// Alternating rounds of our server and nginx, and what they come to.
struct Comparison {
    let plan: BenchPlan
    private let folder = TemporaryFolder("bench-http")

    init(plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let one = try await measure(loops: 1)
        let two = try await measure(loops: 2)
        print("")
        print("keep-alive   ours / nginx          \(ratio(one.ours, one.nginx))   (budget of the bare server 1.00)")
        print("pipelined 16 ours / our keep-alive \(ratio(one.pipelined, one.ours))   (budget 0.25)")
        print("two loops    ours / one loop       \(ratio(two.ours, one.ours))")
        if plan.soak { try await soak() }
    }

    private struct Medians {
        var ours: Double
        var nginx: Double
        var pipelined: Double
        var pipelinedNginx: Double
    }

    private func measure(loops: Int) async throws -> Medians {
        let ours = try await startOurs(loops: loops)
        let nginx = try await Nginx.start(workers: loops, in: folder)
        var runs = (ours: [Double](), nginx: [Double](), pipelined: [Double](), pipelinedNginx: [Double]())
        for _ in 0..<plan.rounds {
            runs.ours.append(try await load(ours.port, ours.process))
            runs.nginx.append(try await load(nginx.port, nginx.process))
            runs.pipelined.append(try await load(ours.port, ours.process, depth: 16))
            runs.pipelinedNginx.append(try await load(nginx.port, nginx.process, depth: 16))
        }
        await ours.process.stop()
        await nginx.process.stop()
        let medians = Medians(
            ours: runs.ours.median, nginx: runs.nginx.median, pipelined: runs.pipelined.median,
            pipelinedNginx: runs.pipelinedNginx.median)
        print("server CPU a request, µs, median of \(plan.rounds) rounds, \(loops) loop\(loops == 1 ? "" : "s"):")
        print("  keep-alive    ours \(medians.ours.text)   nginx \(medians.nginx.text)")
        print("  pipelined 16  ours \(medians.pipelined.text)   nginx \(medians.pipelinedNginx.text)")
        return medians
    }

    private func load(_ port: UInt16, _ process: ChildProcess, depth: Int = 1) async throws -> Double {
        try await Load.run(
            on: port, of: process, connections: plan.connections, seconds: plan.seconds, depth: depth, in: folder
        ).processorPerRequest
    }

    /// Memory after a warm-up and after a million requests more.
    private func soak() async throws {
        let ours = try await startOurs(loops: 2)
        _ = try await load(ours.port, ours.process, depth: 16)
        let before = try ProcessUse.of(ours.process.pid).memory
        var requests = 0
        while requests < 1_000_000 {
            requests += try await Load.run(
                on: ours.port, of: ours.process, connections: plan.connections, seconds: plan.seconds, depth: 16,
                in: folder
            ).requests
        }
        let after = try ProcessUse.of(ours.process.pid).memory
        await ours.process.stop()
        print("anonymous memory before and after \(requests) requests: \(before) KiB, \(after) KiB")
    }

    private func startOurs(loops: Int) async throws -> (process: ChildProcess, port: UInt16) {
        let port = FreePort.pick()
        let process = try ChildProcess.product(
            "bench-http", ["serve", String(port), String(loops)], log: folder.path + "/ours-\(loops).log")
        try await eventually { (try? RawConnection(port: port)) != nil }
        return (process, port)
    }

    private func ratio(_ value: Double, _ base: Double) -> String { (value / base).text }
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
