import EventLoop
import ServiceKit

/// The session cursors over time.
extension GatewayShard {
    private static let rewriteInterval = Duration.seconds(20 * 60)
    private static let cursorsAtOnce = 512
    /// A failed rewrite is repeated so often. If Redis is lost again, its next return begins another one.
    private static let mostRewrites = 5
    private static let pauseAfterFailure = Duration.milliseconds(100)

    /// Writes all cursors again before they expire, from now on.
    func keepCursors() {
        Task.immediate(executorPreference: loop) { [self] in _ = await rewriteSockets() }
        loop.schedule(after: Self.rewriteInterval) { [weak self] in self?.keepCursors() }
    }

    /// A server of Redis has come back and may have lost data: writes the room presence and the cursors again, and where sockets have
    /// left lately.
    func redisReturned() {
        writePresence()
        Task.immediate(executorPreference: loop) { [self] in
            for _ in 0..<Self.mostRewrites {
                let isRecentWritten = await cursors.rewriteRecent()
                if await rewriteSockets(), isRecentWritten { return }
                try? await loop.sleep(for: Self.pauseAfterFailure)
            }
        }
    }

    /// Writes the cursors of all sockets again. Returns whether all were written.
    private func rewriteSockets() async -> Bool {
        var isWritten = true
        // A cursor is read in the turn in which it is written: a socket's own later write must not come first.
        var portion: [SessionCursors.Known] = []
        for room in rooms.values {
            room.reserveAgain()
            for id in room.ids {
                if let known = room.knownCursor(of: id) { portion.append(known) }
                guard portion.count == Self.cursorsAtOnce else { continue }
                isWritten = await context.cursors.rewrite(portion) && isWritten
                portion = []
            }
        }
        return await context.cursors.rewrite(portion) && isWritten
    }
}
