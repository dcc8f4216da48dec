import Testing

@testable import Redis

@Suite struct ConsumerStepsTests {
    private var steps = ConsumerSteps(claimInterval: 100)

    @Test("After a connect the group is created, and own old entries come before others' and new ones")
    mutating func order() {
        #expect(take(at: 0) == .createGroup)
        steps.groupCreated()
        #expect(take(at: 0) == .removeDeadConsumers)
        steps.deadConsumersRemoved()
        #expect(take(at: 0) == .readPending(after: .zero))
        steps.readPending(upTo: id(7))
        #expect(take(at: 0) == .readPending(after: id(7)))
        steps.readPending(upTo: nil)
        #expect(take(at: 0) == .claim(from: .zero))
        steps.claimed(next: id(3))
        #expect(take(at: 0) == .claim(from: id(3)))
        steps.claimed(next: .zero)
        #expect(take(at: 99) == .readNew)
        #expect(take(at: 100) == .claim(from: .zero))
    }

    @Test("Handled entries are acknowledged before the next read, on the next connection if necessary")
    mutating func acknowledging() {
        settle()
        steps.handled(id(1))
        steps.handled(id(2))
        #expect(take(at: 0) == .acknowledge([id(1), id(2)]))
        steps.connected()
        #expect(take(at: 0) == .createGroup)
        steps.groupCreated()
        #expect(take(at: 0) == .acknowledge([id(1), id(2)]))
        steps.acknowledged()
        #expect(take(at: 0) == .removeDeadConsumers)
    }

    @Test("A group that is gone is created again, and its handled entries need no acknowledgement")
    mutating func missingGroup() {
        settle()
        steps.handled(id(1))
        steps.groupMissing()
        #expect(take(at: 0) == .createGroup)
        steps.groupCreated()
        #expect(take(at: 0) == .readNew)
    }

    @Test("Entries that a slow batch has left are read again before new ones")
    mutating func leftovers() {
        settle()
        steps.interrupted(after: id(5))
        steps.interrupted(after: id(9))
        #expect(take(at: 0) == .readPending(after: id(5)))
    }

    private mutating func settle() {
        steps.groupCreated()
        steps.deadConsumersRemoved()
        steps.readPending(upTo: nil)
        _ = steps.next(now: 0)
        steps.claimed(next: .zero)
    }

    private mutating func take(at now: UInt64) -> ConsumerSteps.Step { steps.next(now: now) }

    private func id(_ number: UInt64) -> RedisStreamEntry.ID { .init(milliseconds: number, number: 0) }
}
