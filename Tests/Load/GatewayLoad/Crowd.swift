import EventLoop
import LoadClient

/// Events at a steady rate to a room of very many sockets, the clients on the same cores: how long they are on their way.
struct Crowd {
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
        let contenders: [any Contender] = [
            GatewayContender(house: try await .start(Seating(users: sockets))),
            try await NchanContender.start(workers: 2),
        ]
        var outcomes = contenders.map { _ in Outcome() }
        var writers: [any EventWriter] = []
        for contender in contenders { writers.append(try await contender.writer(on: loop)) }
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                try await measure(contender, writers[index], &outcomes[index], on: loop)
            }
        }
        for contender in contenders { await contender.stop() }
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
        _ contender: any Contender, _ writer: any EventWriter, _ outcome: inout Outcome, on loop: EventLoop
    ) async throws {
        let audience = Audience(sockets, on: loop)
        defer { audience.leave() }
        try await audience.gather(at: contender)
        try await audience.settle { writer.send() }
        audience.forget()
        let start = contender.meter.processorTime
        for _ in 0..<events {
            writer.send()
            try await loop.sleep(for: Self.pause)
        }
        _ = await audience.hear(events * sockets)
        try audience.check(events)
        outcome.cost.append(Double(contender.meter.processorTime - start) / 1000 / Double(events * sockets))
        outcome.median.append(audience.percentile(0.5))
        outcome.late.append(audience.percentile(0.99))
    }
}
