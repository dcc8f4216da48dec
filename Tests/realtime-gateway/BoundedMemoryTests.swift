import Testing
import Wire

@testable import realtime_gateway

/// Values that forget something when they hold too much, and stay correct.
@Suite struct BoundedMemoryTests {
    @Test("A change of access of more users than are counted counts as a change of all users")
    func accessChanges() {
        var changes = AccessChanges(mostUsers: 2)
        let before = (1...3).map { changes.mark(of: UserID($0)) }
        changes.note(UserID(1))
        #expect(changes.mark(of: UserID(1)) != before[0] && changes.mark(of: UserID(2)) == before[1])
        changes.note(UserID(2))
        changes.note(UserID(1))
        #expect(changes.mark(of: UserID(3)) == before[2])
        let one = changes.mark(of: UserID(1))
        changes.note(UserID(4))
        #expect(changes.mark(of: UserID(1)) != one && changes.mark(of: UserID(3)) != before[2])
    }

    @Test("The users who saw a message are known once, and forgotten with those of too many messages")
    func witnesses() {
        var witnesses = PushWitnesses(limit: 2)
        for id in ["a", "b"] { witnesses.note([UserID(1)], id) }
        #expect(witnesses.take("a") == [UserID(1)] && witnesses.take("a").isEmpty)
        for id in ["c", "d"] { witnesses.note([UserID(2)], id) }
        #expect(witnesses.take("b").isEmpty && witnesses.take("c").isEmpty && witnesses.take("d") == [UserID(2)])
    }
}
