import EventLoop
import LoadClient

/// Events to all sockets of one room: the cost of a delivery on one core, and the deliveries a second.
struct FullRoom {
    var sockets = 2000
    /// Events in a round; a tenth of them for a slow server.
    var events = 200
    var rounds = 3

    /// Events in flight while throughput is measured.
    private static let inFlight = 8
    /// Events in flight at a steady rate before the sender waits for the server.
    private static let mostInFlight = 24
    /// The steady rate in deliveries a second.
    private static let steadyRate = 120_000

    struct Outcome {
        /// CPU microseconds a delivery, one event at a time.
        var cost: [Double] = []
        /// The same of Redis.
        var redisCost: [Double] = []
        var rate: [Double] = []
        /// The same at the steady rate.
        var steadyCost: [Double] = []
        /// Deliveries in a CPU second at full throughput.
        var fullRate: [Double] = []
    }

    private final class ServerRun {
        let server: any MeasuredServer
        let subscribers: SubscriberFleet
        let writer: any EventWriter
        var outcome = Outcome()

        init(_ server: any MeasuredServer, _ subscribers: SubscriberFleet, _ writer: any EventWriter) {
            self.server = server
            self.subscribers = subscribers
            self.writer = writer
        }
    }

    func run(python: String, on loop: EventLoop) async throws -> [Figure] {
        let gateway = MeasuredGateway(fixture: try await .start(RoomLayout(users: sockets), loops: 1))
        var servers: [any MeasuredServer] = [gateway, try await MeasuredNchan.start(workers: 1)]
        if let python = try await MeasuredPython.start(python: python) { servers.append(python) }
        return figures(try await compare(servers, redis: gateway.fixture.redisMeter, on: loop))
    }

    /// Measures servers in turn, and stops them.
    func compare(
        _ servers: [any MeasuredServer], redis: ProcessMeter, on loop: EventLoop
    ) async throws -> [(name: String, outcome: Outcome)] {
        var runs: [ServerRun] = []
        for server in servers {
            let subscribers = SubscriberFleet(sockets, on: loop)
            try await subscribers.connect(to: server)
            let run = ServerRun(server, subscribers, try await server.writer(on: loop))
            try await subscribers.awaitReady { run.writer.send() }
            runs.append(run)
        }
        for _ in 0..<rounds {
            for run in runs { try await measure(run, redis: redis) }
        }
        for run in runs {
            run.subscribers.disconnect()
            await run.server.stop()
        }
        return runs.map { ($0.server.name, $0.outcome) }
    }

    private func measure(_ run: ServerRun, redis: ProcessMeter) async throws {
        Progress.report("a round of \(run.server.name)")
        let events = run.server is MeasuredPython ? max(5, events / 10) : events
        let deliveries = Double(events * sockets)
        let (meter, subscribers) = (run.server.meter, run.subscribers)
        try await send(5, inFlight: 1, at: run)
        let (start, redisStart) = (meter.processorTime, redis.processorTime)
        try await send(events, inFlight: 1, at: run)
        run.outcome.cost.append(Double(meter.processorTime - start) / 1000 / deliveries)
        run.outcome.redisCost.append(Double(redis.processorTime - redisStart) / 1000 / deliveries)
        run.outcome.steadyCost.append(try await steadyCost(events, at: run))
        let (began, begun) = (meter.processorTime, EventLoop.preciseNow)
        try await send(events, inFlight: Self.inFlight, at: run)
        run.outcome.rate.append(deliveries / (Double(EventLoop.preciseNow - begun) / 1e9))
        run.outcome.fullRate.append(deliveries / (Double(meter.processorTime - began) / 1e9))
        subscribers.reset()
    }

    /// CPU microseconds a delivery at `steadyRate`, or at the server's largest rate if that is lower.
    private func steadyCost(_ events: Int, at run: ServerRun) async throws -> Double {
        run.subscribers.reset()
        let start = run.server.meter.processorTime
        let begun = EventLoop.preciseNow
        for number in 1...events {
            guard await run.subscribers.awaitDeliveries(max(0, number - Self.mostInFlight) * sockets) else { break }
            run.writer.send()
            let due = begun + UInt64(number * sockets) * 1_000_000_000 / UInt64(Self.steadyRate)
            let now = EventLoop.preciseNow
            if due > now { try await run.subscribers.loop.sleep(for: .nanoseconds(Int64(due - now))) }
        }
        _ = await run.subscribers.awaitDeliveries(events * sockets)
        try run.subscribers.check(events)
        return Double(run.server.meter.processorTime - start) / 1000 / Double(events * sockets)
    }

    private func send(_ events: Int, inFlight: Int, at run: ServerRun) async throws {
        run.subscribers.reset()
        for number in 1...events {
            run.writer.send()
            guard await run.subscribers.awaitDeliveries(max(0, number - inFlight + 1) * sockets) else { break }
        }
        _ = await run.subscribers.awaitDeliveries(events * sockets)
        try run.subscribers.check(events)
    }

    private func figures(_ outcomes: [(name: String, outcome: Outcome)]) -> [Figure] {
        let ours = outcomes[0].outcome
        let cost = Percentile.median(ours.cost)
        let steady = Percentile.median(ours.steadyCost)
        let redisCost = Percentile.median(ours.redisCost)
        let rate = Percentile.median(ours.rate)
        let fullRate = Percentile.median(ours.fullRate)
        var figures: [Figure] = []
        for (name, outcome) in outcomes.dropFirst() {
            let isPython = name != "nchan"
            let peer = Percentile.median(outcome.cost)
            let peerRate = Percentile.median(outcome.fullRate)
            let steadyPeer = Percentile.median(outcome.steadyCost)
            figures.append(
                Figure(
                    part: "a", what: "server CPU µs a delivery, \(Self.steadyRate) a second to \(sockets) sockets",
                    ours: steady, peer: (name, steadyPeer),
                    target: isPython
                        ? ("a fifth of it", steady * 5 <= steadyPeer)
                        : ("6.5, not above nchan", steady <= 6.5 && steady <= steadyPeer)))
            figures.append(
                Figure(
                    part: "a", what: "the same, one event at a time", ours: cost, peer: (name, peer),
                    target: isPython ? ("a fifth of it", cost * 5 <= peer) : ("not above nchan", cost <= peer)))
            figures.append(
                Figure(
                    part: "a", what: "deliveries in a second of one core", ours: fullRate, peer: (name, peerRate),
                    target: isPython
                        ? ("5 times as many", fullRate >= 5 * peerRate)
                        : ("120,000, not below nchan", fullRate >= 120_000 && fullRate >= peerRate),
                    decimals: 0))
            figures.append(
                Figure(
                    part: "a", what: "deliveries a second, the clients on another core", ours: rate,
                    peer: (name, Percentile.median(outcome.rate)), decimals: 0))
        }
        figures.append(Figure(part: "a", what: "Redis CPU µs a delivery beside it", ours: redisCost))
        return figures
    }
}
