import Contract
import EventLoop
import Redis
import ServiceKit
import Wire

/// Reports to gateways how far a session's last history reply went, so that its sockets go on from there.
struct HistoryCursorPublisher: Sendable {
    private let redis: Redis
    private let cursors: SessionCursors
    private let fallback: HistoryCursorStore
    private let reports: LoopLocal<Reports>

    /// The cursors that a loop has reported lately. They are written again for a Redis that may have lost them.
    ///
    /// - Note: `@unchecked Sendable` because it is confined to its loop.
    private final class Reports: @unchecked Sendable {
        let loop: EventLoop
        var recent = RecentCursors()

        init(on loop: EventLoop) { self.loop = loop }

        func rewrite(to cursors: SessionCursors) {
            Task.immediate(executorPreference: loop) { [self] in
                for _ in 0..<HistoryCursorPublisher.mostRewrites {
                    if await cursors.rewrite(recent.all(at: loop.now)) { return }
                    try? await loop.sleep(for: HistoryCursorPublisher.pauseAfterFailure)
                }
            }
        }
    }

    /// A reply waits no longer for Redis.
    private static let timeout = Duration.milliseconds(200)
    private static let mostRewrites = 5
    private static let pauseAfterFailure = Duration.milliseconds(100)

    init(redis: Redis, memory: Duration, fallback: HistoryCursorStore, on loops: EventLoopGroup) {
        self.redis = redis
        self.fallback = fallback
        cursors = SessionCursors(redis: redis, memory: memory)
        reports = LoopLocal(loops) { Reports(on: $0) }
        redis.observeReturns { [reports, cursors] in reports.current.rewrite(to: cursors) }
    }

    /// A history call begins: a socket that joins before `report` or `end` waits for the reply.
    func begin(_ session: SessionID, _ room: RoomID) -> Timestamp { cursors.beginRead(session, room) }

    /// The call has failed, or its reply says nothing about where a socket goes on.
    func end(_ session: SessionID, _ room: RoomID, begun: Timestamp?) async {
        if let begun { await cursors.endRead(session, room, begun: begun) }
    }

    /// Returns once Redis has the cursor. If Redis does not answer, the cursor is in the fallback table.
    ///
    /// - Parameter cursor: leave out messages after it that the session's joining socket is sent; nil to leave out none.
    /// - Returns: the messages that the reply must leave out, because a socket that has just joined is sent them.
    func report(
        _ session: SessionID, _ key: RoomKey, _ seq: Int64, begun: Timestamp?, leavingOutAfter cursor: Int64?
    ) async throws -> Range<Int64>? {
        let room = key.id
        var left: Range<Int64>?
        do {
            let known = try await cursors.report(
                session, room, seq, begun: begun, mayLeaveOut: cursor != nil, within: Self.timeout)
            let reports = reports.current
            reports.recent.note(.history(session, room, seq: known?.history ?? seq), at: reports.loop.now)
            guard let cursor, let socket = known?.socket else { return nil }
            left = await messages(of: socket, in: room, upTo: seq, after: cursor)
        } catch {
            try await fallback.put(session, key, seq)
        }
        // The hint is on its way before the reply is.
        let leftOut = left.map { $0.lowerBound...($0.upperBound - 1) }
        redis.publish(HistoryHint(session: session, room: room, seq: seq, leftOut: leftOut))
        return left
    }

    /// The messages up to `seq` that a joining socket is sent. A client that has shown some of them already asks later than
    /// at its join: perhaps it has left that socket, so nothing is left out.
    private func messages(
        of socket: SessionCursor.Socket, in room: RoomID, upTo seq: Int64, after cursor: Int64
    ) async -> Range<Int64>? {
        guard let start = socket.start, cursor <= start, start < seq else { return nil }
        var end = socket.end
        if end == nil { end = try? await cursors.reservation(of: socket.loop, in: room, within: Self.timeout) }
        guard let end, end > start else { return nil }
        return start + 1..<min(end, seq) + 1
    }
}
