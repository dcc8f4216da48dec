import Testing

@testable import Redis

@Suite struct CommandQueueTests {
    @Test("Replies go to the commands in the order in which they were sent")
    func order() {
        var queue = CommandQueue<Int>(limit: 5000)
        var next = 0
        for number in 0..<5000 {
            queue.append(number, sent: 0, deadline: 100)
            guard number % 3 == 0 else { continue }
            #expect(queue.take() == next)
            next += 1
        }
        while !queue.isEmpty {
            #expect(queue.take() == next)
            next += 1
        }
        #expect(next == 5000)
    }

    @Test("The reply of an expired command is dropped, and the next one goes to its own command")
    func lateReply() {
        var queue = CommandQueue<String>(limit: 10)
        queue.append("slow", sent: 0, deadline: 10)
        queue.append("patient", sent: 0, deadline: 100)
        #expect(queue.expire(now: 9).isEmpty)
        #expect(queue.expire(now: 10) == ["slow"])
        #expect(queue.nextDeadline == 100)
        #expect(queue.count == 2)
        #expect(queue.take() == nil)
        #expect(queue.take() == "patient")
    }

    @Test("A reply without a command is detected")
    func unexpected() {
        var queue = CommandQueue<Int>(limit: 10)
        guard case .unexpected = queue.takeFirst() else {
            Issue.record("a reply without a command was matched")
            return
        }
    }

    @Test("The next deadline is never later than the earliest, in any order of commands")
    func deadlines() {
        var queue = CommandQueue<Int>(limit: 10)
        queue.append(1, sent: 0, deadline: 500)
        queue.append(2, sent: 0, deadline: 50)
        queue.append(3, sent: 0, deadline: 5000)
        #expect(queue.nextDeadline == 50)
        #expect(queue.expire(now: 60) == [2])
        #expect(queue.nextDeadline == 500)
    }

    @Test("When the connection is lost, every waiter gets the error once")
    func loss() {
        var queue = CommandQueue<Int>(limit: 3)
        for number in 0..<3 { queue.append(number, sent: 0, deadline: UInt64(number)) }
        #expect(queue.isFull)
        #expect(queue.expire(now: 0) == [0])
        #expect(queue.isFull, "a command without its reply still takes a place")
        #expect(queue.removeAll() == [1, 2])
        #expect(queue.removeAll().isEmpty)
        #expect(queue.nextDeadline == nil)
    }
}

extension CommandQueue {
    /// The waiter of the next reply; nil if it has expired.
    fileprivate mutating func take() -> Waiter? {
        if case .waiter(let waiter) = takeFirst() { waiter } else { nil }
    }
}
