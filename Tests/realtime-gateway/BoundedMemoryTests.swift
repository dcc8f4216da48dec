import EngineIO
import Testing
import Wire

@testable import realtime_gateway

/// Values that forget something when they hold too much, and stay correct.
@Suite struct BoundedMemoryTests {
    @Test("A change of access of more users than are counted counts as a change of all users")
    func accessChanges() {
        var changes = AccessChanges(mostNamed: 2)
        let before = (1...3).map { changes.mark(of: UserID($0)) }
        func holds(_ mark: AccessChanges.Mark, _ user: Int64) -> Bool { changes.holds(mark, of: UserID(user), in: []) }
        changes.note(UserID(1))
        #expect(!holds(before[0], 1) && holds(before[1], 2))
        changes.note(UserID(2))
        changes.note(UserID(1))
        #expect(holds(before[2], 3))
        let one = changes.mark(of: UserID(1))
        changes.note(UserID(4))
        #expect(!holds(one, 1) && !holds(before[2], 3))
    }

    @Test("A change in more workspaces than are counted counts as a change in all of them")
    func workspaceChanges() {
        var changes = AccessChanges(mostNamed: 2)
        let mark = changes.mark(of: UserID(1))
        func holds(_ workspaces: [Int64]) -> Bool {
            changes.holds(mark, of: UserID(1), in: workspaces.map { WorkspaceID($0) })
        }
        changes.note(in: WorkspaceID(1))
        changes.note(in: WorkspaceID(2))
        #expect(!holds([1]) && !holds([3, 2]) && holds([3]) && holds([]))
        changes.note(in: WorkspaceID(4))
        #expect(!holds([3]))
    }

    @Test("A member of a room takes 112 bytes, as a device has many")
    func members() {
        #expect(MemoryLayout<RoomMember<Int>>.stride <= 112)
        #expect(MemoryLayout<SendAhead?>.stride == 8)
        #expect(MemoryLayout<(room: RoomID, membership: MeMemberships.Membership)>.stride == 16)
    }

    @Test("A room keeps little space for further members, and does not grow with each of them")
    func roster() {
        var roster = Roster<Int>()
        var growths = 0
        for id in 1...2000 as ClosedRange<UInt64> {
            let capacity = roster.members.capacity
            roster.add(RoomMember(me: MemberID(rawValue: id), user: UserID(1), socket: 0, after: nil))
            if roster.members.capacity != capacity { growths += 1 }
            // The allocator rounds up as well.
            #expect(roster.members.capacity <= roster.count + max(4, roster.count / 4))
        }
        #expect(growths < 60)
    }

    @Test("The members of a room are found as in a dictionary, after any order of joins and leaves", arguments: 0..<20)
    func slots(seed: UInt64) {
        var random = Seeded(state: seed)
        var roster = Roster<Int>()
        var expected: [MemberID: Int] = [:]
        for step in 0..<2000 {
            let id = MemberID(rawValue: .random(in: 1...200, using: &random))
            if expected[id] == nil, Bool.random(using: &random) {
                roster.add(RoomMember(me: id, user: UserID(1), socket: step, after: nil))
                expected[id] = step
            } else {
                #expect(roster.remove(id)?.socket == expected.removeValue(forKey: id))
            }
            #expect(roster[id]?.socket == expected[id] && roster.count == expected.count)
        }
        for id in 1...200 as ClosedRange<UInt64> {
            #expect(roster[MemberID(rawValue: id)]?.socket == expected[MemberID(rawValue: id)])
        }
    }

    @Test("The rooms of a socket are found as in a dictionary")
    func memberships() {
        var memberships = MeMemberships()
        var expected: [RoomID: MeMemberships.Membership] = [:]
        for step in 0..<600 {
            let room = RoomID(kind: step % 3 == 0 ? .dm : .channel, rawValue: Int64(step * 7919 % 41))
            switch step % 4 {
            case 0, 1:
                memberships[room] = .waiting
                expected[room] = .waiting
            case 2:
                memberships[room] = .entered
                expected[room] = .entered
            default: #expect(memberships.remove(room) == expected.removeValue(forKey: room))
            }
            #expect(memberships[room] == expected[room])
            #expect(memberships.ids == expected.keys.sorted())
        }
    }

    @Test("The users that saw a message can be read once, and the oldest messages are dropped above the limit")
    func present() {
        var present = UsersPresentAtFailure(limit: 2)
        for id in ["a", "b"] { present.note([UserID(1)], id) }
        #expect(present.take("a") == [UserID(1)] && present.take("a").isEmpty)
        for id in ["c", "d"] { present.note([UserID(2)], id) }
        #expect(present.take("b").isEmpty && present.take("c").isEmpty && present.take("d") == [UserID(2)])
    }
}
