import Contract
import Testing
import Wire

@testable import realtime_gateway

/// Random interleavings of everything that can happen in a room, held against a specification.
@Suite struct RoomMachineModelTests {
    /// Sessions 1 to 4: fatal or harmless, with echo or without.
    private static func isFatal(_ session: Int64) -> Bool { session <= 2 }
    private static func echo(_ session: Int64) -> Bool { session % 2 == 0 }

    @Test("Every socket is sent everything after its join once and in order, in any interleaving of events")
    func interleavings() {
        for seed in UInt64(1)...1000 {
            let faults = Self.run(seed: seed)
            #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
            if !faults.isEmpty { return }
        }
    }

    /// Runs one interleaving; returns how it broke the specification.
    private static func run(seed: UInt64) -> [String] {
        var world = RoomSimulation(seed: seed)
        for loop in 0..<2 { subscribe(loop, &world) }
        var sockets = 0
        for _ in 0..<150 {
            switch Int.random(in: 0..<100, using: &world.random) {
            case ..<22: say(&world)
            case ..<67: answer(&world)
            case ..<77:
                sockets += 1
                join(sockets, &world)
            case ..<82: leave(&world)
            case ..<83: endSession(&world)
            case ..<88: readHistory(&world)
            case ..<91: changeMembership(&world)
            case ..<94: world.lose()
            case ..<96: for loop in 0..<2 { world.handle(loop) { $0.resubscribed(&$1) } }
            case ..<98:
                let loop = Int.random(in: 0..<2, using: &world.random)
                if world.machines[loop].isPaused {
                    world.handle(loop) { $0.resume(&$1) }
                } else {
                    world.handle(loop) { machine, _ in machine.pause() }
                }
            default: heartbeat(&world)
            }
            if !world.faults.isEmpty { return world.faults }
        }
        settle(&world)
        return world.faults + missing(in: world) + open(afterClosing: &world)
    }

    // MARK: Events

    /// Redis may be late. Until it answers, nothing that is published arrives, and sockets join all the same.
    private static func subscribe(_ loop: Int, _ world: inout RoomSimulation) {
        guard world.chance(30) else { return world.handle(loop) { $0.subscribed(&$1) } }
        world.hears[loop] = false
        world.handle(loop) { $0.subscriptionDelayed(&$1) }
        world.later.append { world in
            world.hears[loop] = true
            world.handle(loop) { $0.subscribed(&$1) }
        }
    }

    private static func say(_ world: inout RoomSimulation) {
        let message = RoomMessage.sample(world.head + 1, session: Int64.random(in: 1...4, using: &world.random))
        world.log.append(message)
        publish(.message(message), &world)
    }

    /// Events may be lost or come twice.
    private static func publish(_ event: RoomEvent, _ world: inout RoomSimulation) {
        for loop in 0..<2 {
            let count = [0, 1, 1, 1, 1, 2].randomElement(using: &world.random)!
            for _ in 0..<count {
                world.later.append { if $0.hears[loop] { $0.handle(loop) { $0.published(event, &$1) } } }
            }
        }
    }

    private static func answer(_ world: inout RoomSimulation) {
        guard let index = world.later.indices.randomElement(using: &world.random) else { return }
        world.later.remove(at: index)(&world)
    }

    private static func join(_ number: Int, _ world: inout RoomSimulation) {
        let session = Int64.random(in: 1...4, using: &world.random)
        let loop = Int.random(in: 0..<2, using: &world.random)
        let isMember = world.removed[session] == nil
        world.clients[number] = .init(
            session: session, isFatal: isFatal(session), echo: echo(session), loop: loop, isDisturbed: !isMember)
        let member = RoomMember.sample(
            number, session: session, isFatal: isFatal(session), echo: echo(session), isMember: isMember)
        world.handle(loop) { $0.join(member, &$1) }
    }

    private static func leave(_ world: inout RoomSimulation) {
        let open = world.clients.filter(\.value.isOpen).keys.sorted()
        if let number = open.randomElement(using: &world.random) { world.leave(number) }
    }

    /// The session of a socket ends: it is sent nothing more, and its connection ends soon.
    private static func endSession(_ world: inout RoomSimulation) {
        let open = world.clients.filter(\.value.isOpen).keys.sorted()
        guard let number = open.randomElement(using: &world.random), let loop = world.clients[number]?.loop else {
            return
        }
        world.handle(loop) { machine, _ in machine.revoke(MemberID(rawValue: UInt64(number))) }
        world.clients[number]?.isOpen = false
        world.clients[number]?.isRevoked = true
        world.later.append { $0.leave(number) }
    }

    /// As chat-service answers: the mark, the snapshot, the report with the messages left out, and the hint.
    private static func readHistory(_ world: inout RoomSimulation) {
        let session = Int64.random(in: 1...4, using: &world.random)
        guard world.removed[session] == nil else { return }
        world.change(session) { $0.isReading = true }
        let chat = Int.random(in: 2...3, using: &world.random)
        let through = world.head
        world.later.append { world in
            let record = world.redis.records[session] ?? .init()
            let held = isFatal(session) && record.name != nil ? min(through, record.start) : through
            world.change(session) {
                $0.isReading = false
                $0.report(through, held: held)
            }
            world.recent[chat].append(.history(session, world.redis.records[session]?.history ?? held))
            var left: ClosedRange<Int64>?
            if isFatal(session), let name = record.name, let loop = world.clients[name]?.loop {
                let end = min(record.end ?? world.redis.reservations[loop], through)
                if end > record.start { left = record.start + 1...end }
            }
            world.replies[session, default: []].append((through, left, record.name))
            // The hint is lost now and then: the cursor stands in Redis.
            guard left != nil || !world.chance(10) else { return }
            for (number, client) in world.clients.sorted(by: { $0.key < $1.key })
            where client.session == session && client.isOpen {
                world.later.append {
                    $0.handle(client.loop) {
                        $0.historyReported(MemberID(rawValue: UInt64(number)), through, leaving: left, &$1)
                    }
                }
            }
        }
    }

    private static func changeMembership(_ world: inout RoomSimulation) {
        let session = Int64.random(in: 1...4, using: &world.random)
        for (number, client) in world.clients.sorted(by: { $0.key < $1.key }) where client.session == session {
            world.clients[number]?.isDisturbed = true
        }
        for loop in 0..<2 { world.heardRemovals[loop][session] = nil }
        guard world.removed.removeValue(forKey: session) == nil else { return }
        let after = world.head
        world.removed[session] = after
        for loop in 0..<2 {
            world.later.append { world in
                // A room that is not heard yet checks all members once it is.
                guard world.hears[loop] else { return }
                if world.removed[session] == after { world.heardRemovals[loop][session] = after }
                let event = RoomEvent.removed(room: RoomID(ChannelID(7)), after: after, user: UserID(session))
                world.handle(loop) { $0.published(event, &$1) }
            }
        }
    }

    private static func heartbeat(_ world: inout RoomSimulation) {
        for (number, client) in world.clients.sorted(by: { $0.key < $1.key }) where client.isOpen && !client.isFatal {
            let id = MemberID(rawValue: UInt64(number))
            world.machines[client.loop].change(id) { $0.mark() }
            let confirmed = world.machines[client.loop].change(id) { $0.confirm() } ?? nil
            if let confirmed { world.write(.confirmed(confirmed), of: number) }
        }
    }

    /// Everything under way comes to its end, and nothing is lost any more.
    private static func settle(_ world: inout RoomSimulation) {
        world.isRough = false
        for loop in 0..<2 {
            world.handle(loop) { $0.resume(&$1) }
            world.handle(loop) { $0.resubscribed(&$1) }
        }
        var steps = 0
        while !world.later.isEmpty, steps < 100_000 {
            answer(&world)
            steps += 1
        }
        if steps == 100_000 { world.faults.append("it does not come to an end") }
    }

    // MARK: The specification of the end

    /// The room is closed: its sockets are put out, and none is left.
    private static func open(afterClosing world: inout RoomSimulation) -> [String] {
        let end = RoomEvent.closed(room: RoomID(ChannelID(7)), after: world.head)
        for loop in 0..<2 { world.handle(loop) { $0.published(end, &$1) } }
        settle(&world)
        let left = world.clients.filter(\.value.isOpen).keys.sorted()
        return left.isEmpty ? [] : ["sockets \(left) are still in a closed room"]
    }

    /// Messages that an open socket was not sent, and no history reply of its session held. Those before its join count
    /// where the session's newest socket left before them: half-open older sockets do not hide them.
    private static func missing(in world: RoomSimulation) -> [String] {
        var faults: [String] = []
        for (number, client) in world.clients.sorted(by: { $0.key < $1.key }) where client.isOpen && !client.isDisturbed
        {
            guard let entry = client.entry else {
                faults.append("socket \(number) was never let in")
                continue
            }
            let held = world.replies[client.session, default: []]
            let got = Set(client.got)
            let start = min(entry, client.isFatal ? client.owed ?? entry : entry)
            for message in world.log.dropFirst(Int(start)) where !got.contains(message.body.seq) {
                let seq = message.body.seq
                if !client.echo, message.session.rawValue == client.session { continue }
                let isHeld = held.contains { reply in
                    guard reply.through >= seq else { return false }
                    // If the socket that a message was left to has left without it, nobody knows whether it was sent.
                    return !(reply.left?.contains(seq) ?? false) || seq <= entry && reply.socket != number
                }
                if isHeld { continue }
                faults.append(
                    "socket \(number) of session \(client.session) missed \(seq) after \(start): \(client.got)")
            }
        }
        return faults
    }
}
