import Glibc
import Testing

@testable import EventLoop

@Suite("A connection that moves to another loop", .timeLimit(.minutes(10)))
struct MovingConnectionTests {
    /// Reports its calls; consumes nothing while `consumes` is false.
    ///
    /// - Note: `@unchecked Sendable` because it is used on one loop at a time.
    private final class Reader: StreamHandler, @unchecked Sendable {
        let note: AsyncStream<String>.Continuation
        var consumes = true

        init(_ note: AsyncStream<String>.Continuation) { self.note = note }

        func received(_ bytes: RawSpan) -> Int {
            let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            note.yield(text)
            return consumes ? bytes.byteCount : 0
        }
        func endOfInput() { note.yield("end") }
        func drained() {}
        func closed(_ end: StreamSocket.End) { note.yield("closed") }
    }

    /// - Note: `@unchecked Sendable` because each end is used on its loop only.
    private struct Ends: @unchecked Sendable {
        var near: StreamSocket
        var far: Int32
    }

    private func pair(on loop: EventLoop) throws -> Ends {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        return Ends(
            near: StreamSocket(descriptor: ends[0], peer: SocketAddress(unixPath: "/")!, on: loop), far: ends[1])
    }

    @Test("Unconsumed bytes arrive first, then later bytes, then the end; no event is reported twice")
    func moves() async throws {
        let group = EventLoopGroup(count: 2)
        let (reports, note) = AsyncStream<String>.makeStream()
        let (first, second) = (Reader(note), Reader(note))
        first.consumes = false
        let ends = try await group.loops[0].run {
            let ends = try pair(on: group.loops[0])
            ends.near.start(first)
            _ = write(ends.far, "abc", 3)
            return ends
        }
        var events = reports.makeAsyncIterator()
        #expect(await events.next() == "abc")
        let moving = try await group.loops[0].run { ends.near.moveAway() }
        let arrived = try #require(moving)
        _ = write(ends.far, "def", 3)
        close(ends.far)
        // The socket is returned so that it stays alive: nothing else retains it while it has no events.
        let socket = try await group.loops[1].run {
            let socket = StreamSocket(arrived, on: group.loops[1])
            socket.start(second)
            return Ends(near: socket, far: -1)
        }
        #expect(await events.next() == "abc")
        #expect(await events.next() == "def")
        #expect(await events.next() == "end")
        try await group.loops[1].run { socket.near.close() }
        #expect(await events.next() == "closed")
        await Task.detached { group.stop() }.value
    }

    @Test("A connection that never arrives is closed; one with queued output cannot move")
    func staysOrCloses() async throws {
        let group = EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let (_, note) = AsyncStream<String>.makeStream()
        try await loop.run {
            let ends = try pair(on: loop)
            ends.near.start(Reader(note))
            ends.near.write([1])
            #expect(ends.near.moveAway() == nil)
            ends.near.flush()
            #expect(ends.near.moveAway() != nil)
            var byte: UInt8 = 0
            #expect(read(ends.far, &byte, 1) == 1)
            #expect(read(ends.far, &byte, 1) == 0)
            close(ends.far)
        }
        await Task.detached { group.stop() }.value
    }
}
