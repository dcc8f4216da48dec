import EventLoop
import ServiceKit
import Synchronization
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Writing session cursors in batches")
struct CursorWriterTests {
    private static let room = RoomID(ChannelID(7))

    private static func release(_ session: Int64, _ seq: Int64) -> SessionCursors.Release {
        SessionCursors.Release(
            session: SessionID(session), room: room, seq: seq, name: "a/1", heard: Timestamp(milliseconds: 1))
    }

    @Test("A room's reservation is written after the releases of its sockets")
    func order() async throws {
        let monitor = try RawConnection(port: try await RedisServer.ofThisProcess().port)
        try monitor.send("MONITOR\r\n")
        _ = try monitor.receive(until: "+OK\r\n")
        let name = Mutex("")
        try await SessionCursorStoreTests.use { store, _ in
            let loop = try #require(EventLoop.current)
            let writer = CursorWriter(on: loop, store: store)
            name.withLock { $0 = writer.loopName }
            let written = LoopBox<Int64>()
            writer.reserve(Self.room, through: 7) { written.value = $0 }
            writer.release(Self.release(520, 6))
            await writer.settle(within: .seconds(20).patiently)
            #expect(written.value == 7)
        }
        let reservation = "sent:\(name.withLock(\.self)):"
        let commands = try await onOwnThread { Result { try monitor.receive(until: reservation) } }.get()
        #expect(commands.contains("position:520:channel-7"))
    }

    @Test("Of too many releases the oldest are dropped")
    func limit() async throws {
        try await SessionCursorStoreTests.use { store, _ in
            let loop = try #require(EventLoop.current)
            let writer = CursorWriter(on: loop, store: store, mostReleases: 2)
            for session in Int64(521)...523 { writer.release(Self.release(session, 6)) }
            await writer.settle(within: .seconds(20).patiently)
            #expect(try await store.find(SessionID(521), Self.room) == JoinCursor())
            for session in Int64(522)...523 {
                #expect(try await store.find(SessionID(session), Self.room).seq == 6)
            }
        }
    }

    /// A value that the loop of a test writes.
    ///
    /// - Note: `@unchecked Sendable` because it is used on that loop alone.
    private final class LoopBox<Value>: @unchecked Sendable {
        var value: Value?
    }
}
