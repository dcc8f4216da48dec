import EventLoop
import LoadClient

/// Latency of events at a steady rate to a room of 10,000 sockets, with the clients on the same cores.
struct LargeRoom {
    var sockets = 10_000
    var events = 20
    var rounds = 3

    private static let pause = Duration.milliseconds(500)

    private struct Outcome {
        var median: [Double] = []
        var late: [Double] = []
        var cost: [Double] = []
    }

    func run(on loop: EventLoop) async throws -> [Figure] {
        let servers: [any MeasuredServer] = [
            MeasuredGateway(fixture: try await .start(RoomLayout(users: sockets))),
            try await MeasuredNchan.start(workers: 2),
        ]
        var outcomes = servers.map { _ in Outcome() }
        var writers: [any EventWriter] = []
        for server in servers { writers.append(try await server.writer(on: loop)) }
        for _ in 0..<rounds {
            for (index, server) in servers.enumerated() {
                try await measure(server, writers[index], &outcomes[index], on: loop)
            }
        }
        for server in servers { await server.stop() }
        let (ours, peer) = (outcomes[0], outcomes[1])
        let (late, peerLate) = (Percentile.median(ours.late), Percentile.median(peer.late))
        return [
            Figure(
                part: "b", what: "ms to a socket at p99, \(sockets) in a room, 2 events/s", ours: late,
                peer: ("nchan", peerLate), target: ("not above nchan", late <= peerLate), decimals: 1),
            Figure(
                part: "b", what: "ms to a socket at p50", ours: Percentile.median(ours.median),
                peer: ("nchan", Percentile.median(peer.median)), decimals: 1),
            Figure(
                part: "b", what: "server CPU µs a delivery", ours: Percentile.median(ours.cost),
                peer: ("nchan", Percentile.median(peer.cost))),
        ]
    }

    private func measure(
        _ server: any MeasuredServer, _ writer: any EventWriter, _ outcome: inout Outcome, on loop: EventLoop
    ) async throws {
        let subscribers = SubscriberFleet(sockets, on: loop)
        defer { subscribers.disconnect() }
        try await subscribers.connect(to: server)
        try await subscribers.awaitReady { writer.send() }
        subscribers.reset()
        let start = server.meter.processorTime
        for _ in 0..<events {
            writer.send()
            try await loop.sleep(for: Self.pause)
        }
        _ = await subscribers.awaitDeliveries(events * sockets)
        try subscribers.check(events)
        outcome.cost.append(Double(server.meter.processorTime - start) / 1000 / Double(events * sockets))
        outcome.median.append(subscribers.percentile(0.5))
        outcome.late.append(subscribers.percentile(0.99))
    }
}
