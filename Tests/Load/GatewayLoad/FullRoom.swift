import EventLoop
import LoadClient

/// Events to all sockets of one room: what a delivery costs a server on one core, and how many a second it can make.
struct FullRoom {
    var sockets = 2000
    /// Events in a round to servers of our kind; a tenth of that to what is slow.
    var events = 200
    var rounds = 3

    /// Events sent before the first of them has reached everybody, where throughput counts.
    private static let ahead = 8
    /// The same of a server that cannot keep up with a steady rate.
    private static let farAhead = 24
    /// Deliveries a second that one core is to make.
    private static let steadyRate = 120_000

    private struct Outcome {
        /// Microseconds of processor time for one event to one socket, one event at a time.
        var cost: [Double] = []
        /// The same of what the server has beside it.
        var besideCost: [Double] = []
        var rate: [Double] = []
        /// The same while events come at a steady rate.
        var steadyCost: [Double] = []
        /// Deliveries in a second of processor time while events follow one another.
        var fullRate: [Double] = []
    }

    private final class Place {
        let contender: any Contender
        let audience: Audience
        let writer: any EventWriter
        var outcome = Outcome()

        init(_ contender: any Contender, _ audience: Audience, _ writer: any EventWriter) {
            self.contender = contender
            self.audience = audience
            self.writer = writer
        }
    }

    func run(python: String, on loop: EventLoop) async throws -> [Figure] {
        let gateway = GatewayContender(house: try await .start(Seating(users: sockets), loops: 1))
        var contenders: [any Contender] = [gateway, try await NchanContender.start(workers: 1)]
        if let python = try await PythonContender.start(python: python) { contenders.append(python) }
        var places: [Place] = []
        for contender in contenders {
            let audience = Audience(sockets, on: loop)
            try await audience.gather(at: contender)
            let place = Place(contender, audience, try await contender.writer(on: loop))
            try await audience.settle { place.writer.send() }
            places.append(place)
        }
        for _ in 0..<rounds {
            for place in places { try await measure(place, beside: gateway.house.redisMeter) }
        }
        for place in places {
            place.audience.leave()
            await place.contender.stop()
        }
        return figures(places.map { ($0.contender.name, $0.outcome) })
    }

    private func measure(_ place: Place, beside redis: ProcessMeter) async throws {
        Progress.tell("a round of \(place.contender.name)")
        let events = place.contender is PythonContender ? max(5, events / 10) : events
        let deliveries = Double(events * sockets)
        let (meter, audience) = (place.contender.meter, place.audience)
        try await send(5, ahead: 1, at: place)
        let (start, redisStart) = (meter.processorTime, redis.processorTime)
        try await send(events, ahead: 1, at: place)
        place.outcome.cost.append(Double(meter.processorTime - start) / 1000 / deliveries)
        place.outcome.besideCost.append(Double(redis.processorTime - redisStart) / 1000 / deliveries)
        place.outcome.steadyCost.append(try await steadyCost(events, at: place))
        let (began, begun) = (meter.processorTime, EventLoop.preciseNow)
        try await send(events, ahead: Self.ahead, at: place)
        place.outcome.rate.append(deliveries / (Double(EventLoop.preciseNow - begun) / 1e9))
        place.outcome.fullRate.append(deliveries / (Double(meter.processorTime - began) / 1e9))
        audience.forget()
    }

    /// Microseconds of processor time a delivery at `steadyRate`, or at what the server can do where that is less.
    private func steadyCost(_ events: Int, at place: Place) async throws -> Double {
        place.audience.forget()
        let start = place.contender.meter.processorTime
        let begun = EventLoop.preciseNow
        for number in 1...events {
            guard await place.audience.hear(max(0, number - Self.farAhead) * sockets) else { break }
            place.writer.send()
            let due = begun + UInt64(number * sockets) * 1_000_000_000 / UInt64(Self.steadyRate)
            let now = EventLoop.preciseNow
            if due > now { try await place.audience.loop.sleep(for: .nanoseconds(Int64(due - now))) }
        }
        _ = await place.audience.hear(events * sockets)
        try place.audience.check(events)
        return Double(place.contender.meter.processorTime - start) / 1000 / Double(events * sockets)
    }

    private func send(_ events: Int, ahead: Int, at place: Place) async throws {
        place.audience.forget()
        for number in 1...events {
            place.writer.send()
            guard await place.audience.hear(max(0, number - ahead + 1) * sockets) else { break }
        }
        _ = await place.audience.hear(events * sockets)
        try place.audience.check(events)
    }

    private func figures(_ outcomes: [(name: String, outcome: Outcome)]) -> [Figure] {
        let ours = outcomes[0].outcome
        let cost = Percentile.median(ours.cost)
        let steady = Percentile.median(ours.steadyCost)
        let besides = Percentile.median(ours.besideCost)
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
        figures.append(Figure(part: "a", what: "Redis CPU µs a delivery beside it", ours: besides))
        return figures
    }
}
