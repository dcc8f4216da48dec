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
            session: SessionID(session), room: room, seq: seq, name: "a/1", claimed: Timestamp(milliseconds: 1),
            heard: Timestamp(milliseconds: 1))
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

    @Test("Where sockets have left lately is written again for a Redis that has lost it")
    func rewritten() async throws {
        let redis = try await RedisServer.ofThisProcess()
        try await SessionCursorStoreTests.use { store, _ in
            let writer = CursorWriter(on: try #require(EventLoop.current), store: store)
            writer.release(Self.release(524, 6))
            writer.left(SessionID(525), Self.room, confirmed: 7)
            await writer.settle(within: .seconds(20).patiently)
            // Twice, because the second Redis may be lost as well.
            for _ in 1...2 {
                for session in 524...525 { try await redis.command("DEL", "position:\(session):\(Self.room)") }
                #expect(try await store.find(SessionID(524), Self.room) == JoinCursor())
                #expect(await writer.rewriteRecent())
                #expect(try await store.find(SessionID(524), Self.room).seq == 6)
                #expect(try await store.find(SessionID(525), Self.room).seq == 7)
            }
        }
    }

    @Test("A release that a newer socket has superseded is not written again")
    func superseded() async throws {
        let redis = try await RedisServer.ofThisProcess()
        try await SessionCursorStoreTests.use { store, _ in
            let writer = CursorWriter(on: try #require(EventLoop.current), store: store)
            try await store.write(
                SessionCursors.SocketRecord(
                    session: SessionID(527), room: Self.room, seq: 5,
                    socket: .init(name: "b/1", start: 5, joined: Timestamp(milliseconds: 2), end: nil),
                    heard: Timestamp(milliseconds: 2)))
            writer.release(Self.release(527, 30))
            await writer.settle(within: .seconds(20).patiently)
            try await redis.command("DEL", "position:527:\(Self.room)")
            #expect(await writer.rewriteRecent())
            #expect(try await store.find(SessionID(527), Self.room) == JoinCursor())
        }
    }

    /// A value that the loop of a test writes.
    ///
    /// - Note: `@unchecked Sendable` because it is used on that loop alone.
    private final class LoopBox<Value>: @unchecked Sendable {
        var value: Value?
    }
}
