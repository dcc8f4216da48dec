import Glibc
import Testing

@testable import EventLoop

@Suite struct DiscardUnsentTests {
    @Test("A write that was partly sent is sent whole; the writes after it are discarded")
    func discarding() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
        defer { scratch.deallocate() }
        var queue = WriteQueue()
        let first = [UInt8](repeating: 1, count: 1 << 20)
        queue.append(first)
        queue.append([2, 2])
        queue.append([3])
        let sent = queue.send(to: ends[0], gatheringIn: scratch)
        #expect(sent.count > 0 && sent.count < first.count)
        #expect(queue.discardUnsent() == 3)
        #expect(queue.discardUnsent() == 0)
        queue.append([4])
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while received.count < first.count + 1 {
            let count = read(ends[1], &buffer, buffer.count)
            if count > 0 { received += buffer[..<count] }
            if !queue.isEmpty { _ = queue.send(to: ends[0], gatheringIn: scratch) }
        }
        #expect(received == first + [4])
    }

    @Test("A queue is emptied if none of it was sent")
    func untouched() {
        var queue = WriteQueue()
        #expect(queue.discardUnsent() == 0)
        queue.append([1, 2, 3])
        queue.append([4])
        #expect(queue.discardUnsent() == 4)
        #expect(queue.isEmpty)
    }
}
