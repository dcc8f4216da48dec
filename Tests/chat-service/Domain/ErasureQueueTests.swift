import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Queue of erasures")
struct ErasureQueueTests {
    private func deletion(_ user: Int64, round: Int = 1) -> UserDeletion {
        UserDeletion(user: UserID(user), round: round, deletesMessages: true)
    }

    @Test("A second round of an account begins after the first one has ended, and others do not wait for it")
    func rounds() {
        var queue = ErasureQueue()
        for each in [deletion(1), deletion(1, round: 2), deletion(2)] { queue.add(each) }
        #expect(queue.next() == deletion(1))
        #expect(queue.next() == deletion(2))
        #expect(queue.next() == nil)
        queue.finish(deletion(1))
        #expect(queue.next() == deletion(1, round: 2))
    }

    @Test("A repeated deletion is done once, and may come again after its end")
    func repeats() {
        var queue = ErasureQueue()
        queue.add(deletion(1))
        #expect(queue.next() == deletion(1))
        queue.add(deletion(1))
        queue.finish(deletion(1))
        #expect(queue.next() == nil)
        queue.add(deletion(1))
        #expect(queue.next() == deletion(1))
    }

    @Test("A bounded number of accounts is erased at the same time")
    func bound() {
        var queue = ErasureQueue()
        let users = (1...Int64(ErasureQueue.accountsAtOnce) + 1).map { deletion($0) }
        for each in users { queue.add(each) }
        #expect(users.map { _ in queue.next() } == users.dropLast() + [nil])
        queue.finish(users[0])
        #expect(queue.next() == users.last)
    }
}
