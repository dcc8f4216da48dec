import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite struct ChangeModelTests {
    @Test(
        "R13, R14: every native socket ends with the newest revision of each message, sent in order and after it",
        arguments: 0..<60)
    func model(seed: Int) {
        var world = ChangeSimulation(seed: UInt64(seed))
        world.handle { $0.subscribed(&$1) }
        for step in 0..<300 {
            switch Int.random(in: 0..<10, using: &world.random) {
            case 0: world.say()
            case 1, 2, 3: world.commit()
            case 4: world.publish(Int.random(in: 0...1, using: &world.random))
            case 5 where step % 40 == 5:
                let id = world.joined.count + step * 100
                world.handle { $0.join(.native(id), &$1) }
            case 6 where step % 30 == 6: world.handle { $0.resubscribed(&$1) }
            default: world.run()
            }
        }
        Self.finish(&world)
    }
}

extension ChangeModelTests {
    @Test(
        "R13: a /me socket that resumes from any cursor is sent all missing events, in order, and nothing twice",
        arguments: 100..<180)
    func resume(seed: Int) {
        var world = ChangeSimulation(seed: UInt64(seed))
        if seed % 2 == 0 { world.handle { $0.subscribed(&$1) } }
        world.joinMe(1)
        for step in 0..<300 {
            switch Int.random(in: 0..<12, using: &world.random) {
            case 0, 10: world.say()
            case 1, 2, 3: world.commit()
            case 4: world.publish(Int.random(in: 0...1, using: &world.random))
            case 5 where step % 3 == 0: world.remember()
            case 6 where step % 5 == 1: world.joinMe(step + 1000)
            case 7 where step % 30 == 6: world.handle { $0.resubscribed(&$1) }
            case 8 where step % 20 == 3:
                if world.me.count > 1, let id = world.me.min() {
                    world.leave(id)
                    world.me.remove(id)
                    world.joined[id] = nil
                }
            default: world.run()
            }
            if seed % 2 == 1, step == 40 { world.handle { $0.subscribed(&$1) } }
        }
        Self.finish(&world)
        #expect(!world.me.isEmpty)
    }

    /// Nothing is lost any more: the sockets come to the present.
    fileprivate static func finish(_ world: inout ChangeSimulation) {
        world.isRough = false
        for instance in 0...1 { world.publish(instance) }
        // The last comparison finds lost events.
        world.handle { $0.resubscribed(&$1) }
        var rest = 5000
        while !world.later.isEmpty, rest > 0 {
            world.run()
            rest -= 1
        }
        #expect(world.later.isEmpty)
        #expect(world.faults.isEmpty, "\(world.faults.prefix(3))")
        for id in world.joined.keys {
            for (index, rev) in world.revs.enumerated() {
                #expect(world.known[id]?[Int64(index) + 1] == rev, "socket \(id), message \(index + 1)")
            }
        }
    }
}

extension ChangeModelTests {
    @Test("A gateway asks at once for the changes that an event stands for, not after the wait for a missing one")
    func others() {
        var world = ChangeSimulation(seed: 1)
        world.isRough = false
        world.handle { $0.subscribed(&$1) }
        for _ in 1...2 { world.say() }
        world.handle { $0.join(.native(1), &$1) }
        while !world.later.isEmpty { world.run() }
        world.revs = [1, 2]
        var actions: [RoomAction] = []
        world.machine.published(.changed(RoomChange(world.message(2), revs: [2], othersAfter: 0)), &actions)
        #expect(actions.contains(.fetchChanges(after: 0)))
    }
}

extension ChangeModelTests {
    @Test("Missed changes that are too large to be sent at once are sent in pieces, in order and each once")
    func pieces() {
        let text = String(repeating: "가", count: 10_000)
        let all = (1...40 as ClosedRange<Int64>).map { number in
            let plain = RoomMessage.sample(number)
            let body = MessageBody(
                id: plain.body.id, seq: number, content: text, createdAt: plain.body.createdAt, files: [],
                author: plain.body.author, revision: MessageRevision(rev: number))
            return RoomChange(
                RoomMessage(
                    room: plain.room, workspace: plain.workspace, name: plain.name, body: body,
                    session: plain.session))
        }
        var machine = RoomMachine<Int>()
        var actions: [RoomAction] = []
        machine.subscribed(&actions)
        machine.revisionReported(40, &actions)
        machine.headReported(40, &actions)
        let member = RoomMember(me: MemberID(rawValue: 1), user: UserID(1), socket: 1, after: 40)
        machine.join(member, changesAfter: 0, &actions)
        var sent: [[Int64]] = []
        while case .fetchMissed(let id, let after)? = actions.last, sent.count < all.count {
            actions = []
            machine.missedFetched(id, all.filter { $0.rev > after }, through: 40, &actions)
            for case .sendChanges(_, let changes) in actions { sent.append(changes.map(\.rev)) }
        }
        #expect(sent.flatMap(\.self) == Array(1...40))
        #expect(sent.allSatisfy { $0.count * text.utf8.count < 300_000 })
    }
}

extension RoomMember<Int> {
    fileprivate static func native(_ id: Int) -> Self {
        RoomMember(
            id: MemberID(rawValue: UInt64(id)), user: UserID(1), session: SessionID(1), form: .native, echo: true,
            repeatedEvent: .harmless, socket: id, isMember: true)
    }
}
