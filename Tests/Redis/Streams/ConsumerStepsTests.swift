import Testing

@testable import Redis

@Suite struct ConsumerStepsTests {
    private var steps = ConsumerSteps(claimInterval: 100)

    @Test("After a connect the group is made and old entries are handled before others' and new ones")
    mutating func order() {
        #expect(take(at: 0) == .createGroup)
        steps.groupCreated()
        #expect(take(at: 0) == .removeDeadConsumers)
        steps.tidied()
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

    @Test("What was handled is acknowledged before anything else is read, over the next connection if need be")
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

    @Test("A group that is gone is made again, and what it knew needs no acknowledgement")
    mutating func missingGroup() {
        settle()
        steps.handled(id(1))
        steps.groupMissing()
        #expect(take(at: 0) == .createGroup)
        steps.groupCreated()
        #expect(take(at: 0) == .readNew)
    }

    @Test("What a slow batch left is read again before anything new")
    mutating func leftovers() {
        settle()
        steps.leftRest(after: id(5))
        steps.leftRest(after: id(9))
        #expect(take(at: 0) == .readPending(after: id(5)))
    }

    private mutating func settle() {
        steps.groupCreated()
        steps.tidied()
        steps.readPending(upTo: nil)
        _ = steps.next(now: 0)
        steps.claimed(next: .zero)
    }

    private mutating func take(at now: UInt64) -> ConsumerSteps.Step { steps.next(now: now) }

    private func id(_ number: UInt64) -> RedisStreamEntry.ID { .init(milliseconds: number, number: 0) }
}
