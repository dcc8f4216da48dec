import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Batches of sends")
struct SendQueueTests {
    @Test("Messages leave in order of arrival, within the limits of batch size and concurrent commits")
    func limits() throws {
        var queue = SendQueue<Int>(maxCommits: 2, maxBatch: 3)
        for number in 0..<10 {
            let isTaken = queue.add(.sample("\(number)"), number)
            #expect(isTaken)
        }
        #expect(queue.nextBatch()?.map(\.waiter) == [0, 1, 2])
        #expect(queue.nextBatch()?.map(\.waiter) == [3, 4, 5])
        #expect(queue.nextBatch() == nil)
        queue.committed()
        #expect(queue.nextBatch()?.map(\.waiter) == [6, 7, 8])
        queue.committed()
        #expect(queue.nextBatch() == nil)
        queue.committed()
        #expect(queue.nextBatch()?.map(\.waiter) == [9])
        queue.committed()
        #expect(queue.nextBatch() == nil)
    }

    @Test("A second batch starts once it is at least as large as the one under way")
    func second() {
        var queue = SendQueue<Int>()
        for number in 0..<3 { _ = queue.add(.sample(), number) }
        #expect(queue.nextBatch()?.count == 3)
        for number in 3..<5 { _ = queue.add(.sample(), number) }
        #expect(queue.nextBatch() == nil)
        _ = queue.add(.sample(), 5)
        #expect(queue.nextBatch()?.map(\.waiter) == [3, 4, 5])
        for number in 6..<9 { _ = queue.add(.sample(), number) }
        #expect(queue.nextBatch() == nil)
        queue.committed()
        #expect(queue.nextBatch()?.map(\.waiter) == [6, 7, 8])
    }

    @Test("A full queue refuses messages until a batch has left")
    func refusal() {
        var queue = SendQueue<Int>(maxCommits: 1, maxBatch: 2, limit: 3)
        let taken = (0..<5).map { queue.add(.sample("\($0)"), $0) }
        #expect(taken == [true, true, true, false, false])
        _ = queue.nextBatch()
        let isTaken = queue.add(.sample("more"), 5)
        #expect(isTaken)
    }

    @Test("Two messages with the same author, room and client_id never share a batch")
    func namesApart() {
        var queue = SendQueue<Int>(maxCommits: 8, maxBatch: 8)
        let messages: [PendingMessage] = [
            .sample(clientID: "a"), .sample(clientID: "a"), .sample(clientID: "b"), .sample(author: 2, clientID: "a"),
            .sample(room: RoomID(DMID(7)), clientID: "a"), .sample(), .sample(), .sample(clientID: "a"),
        ]
        for (index, message) in messages.enumerated() { _ = queue.add(message, index) }
        #expect(queue.nextBatch()?.map(\.waiter) == [0, 2, 3, 4, 5, 6])
        #expect(queue.nextBatch() == nil)
        queue.committed()
        #expect(queue.nextBatch()?.map(\.waiter) == [1])
        #expect(queue.nextBatch()?.map(\.waiter) == [7])
        #expect(queue.nextBatch() == nil)
    }

    @Test("In random order, each message leaves once, and no batch has a client_id twice")
    func everything() {
        var random = SystemRandomNumberGenerator()
        var queue = SendQueue<Int>(maxCommits: 3, maxBatch: 5, limit: 40)
        var (gone, taken, underWay): ([Int], [Int], Int) = ([], [], 0)
        for number in 0..<2000 {
            let name = Bool.random() ? "c\(Int.random(in: 0..<4, using: &random))" : nil
            let message = PendingMessage.sample(
                "\(number)", author: Int64.random(in: 1...2, using: &random), clientID: name)
            if queue.add(message, number) { taken.append(number) }
            if underWay > 0, Bool.random() {
                queue.committed()
                underWay -= 1
            }
            while let batch = queue.nextBatch() {
                underWay += 1
                let named = batch.compactMap { entry in entry.item.clientID.map { "\(entry.item.author) \($0)" } }
                #expect(Set(named).count == named.count)
                #expect(!batch.isEmpty && batch.count <= 5 && underWay <= 3)
                gone += batch.map(\.waiter)
            }
        }
        while underWay > 0 {
            queue.committed()
            underWay -= 1
            while let batch = queue.nextBatch() {
                underWay += 1
                gone += batch.map(\.waiter)
            }
        }
        #expect(gone.sorted() == taken)
    }
}
