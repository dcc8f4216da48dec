import Contract
import EngineIO
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Performs the actions of a room's machine.
extension RoomDriver {
    /// A session's socket waits so long for a history reply.
    private static let historyTimeout = Duration.seconds(1)
    static let pauseBeforeRetry = Duration.milliseconds(500)
    /// After this time without an answer from Redis, chat-service is asked where a socket begins.
    private static let cursorTimeout = Duration.milliseconds(500)

    func perform(_ action: RoomAction, _ actions: inout [RoomAction]) {
        switch action {
        case .accept(let id): endpoint(id)?.accept(in: room)
        case .caughtUp(let id): endpoint(id)?.caughtUp(in: room, at: machine.roster[id]?.cursor ?? 0)
        case .broadcast(let message): broadcast(message, &actions)
        case .send(let id, let messages): send(messages, to: id)
        case .awaitRoom(let ticket): awaitSocket(ticket, .room)
        case .awaitEmpty(let ticket): awaitSocket(ticket, .empty)
        case .fetchPage(let ticket, let after): fetchPage(ticket, after: after)
        case .writeCursor(let ticket, let write): writeCursor(ticket, write)
        case .retryLater(let ticket): if !putOff(ticket.member) { later { $0.retry(ticket, &$1) } }
        case .fetchHead: fetchHead()
        case .compareHead(let isLate): if isLate { compareHeadLater() } else { compareHead() }
        case .backfill(let after): backfill(after: after)
        case .reserve(let seq):
            shard.cursors.reserve(room, through: seq) { [weak self] seq in
                self?.handle { $0.reserved(through: seq, &$1) }
            }
        case .broadcastChange, .sendChanges, .awaitMissingChanges, .fetchChanges, .fetchMissed:
            performChange(action, &actions)
        case .readCursor(let id): readCursor(id)
        case .askHead(let id): askHead(id)
        case .readLastCursor(let id): readLastCursor(id)
        case .startHistoryTimer(let id):
            loop.schedule(after: Self.historyTimeout) { [weak self] in
                self?.handle { $0.historyTimedOut(id, &$1) }
            }
        case .releaseCursor(let id, let cursor, let isClaimed): releaseCursor(id, cursor, isClaimed: isClaimed)
        case .recheck(let id): shard.recheck(id, in: self)
        case .recheckAll(let number): recheckAll(number)
        case .noteRemoval(let user): shard.accessChanges.note(user)
        case .putOut(let id): endpoint(id)?.putOut(of: room)
        case .closeSocket(let id): endpoint(id)?.engine.close()
        case .userLeft(let user): shard.userLeft(user, room)
        }
    }

    private func later(_ event: @escaping Event) {
        loop.schedule(after: Self.pauseBeforeRetry) { [weak self] in self?.handle(event) }
    }

    // MARK: Catching up

    private func awaitSocket(_ ticket: Ticket, _ need: RoomSocket.Need) {
        guard let socket = endpoint(ticket.member) else { return }
        if socket.meets(need) { return handle { $0.drained(ticket, &$1) } }
        Task.immediate(executorPreference: loop) { [self] in
            await socket.wait(for: need)
            handle { $0.drained(ticket, &$1) }
        }
    }

    private func fetchPage(_ ticket: Ticket, after: Int64) {
        let version = recentVersion
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let page = try await page(after: after)
                handle { $0.pageFetched(ticket, page.messages, end: page.end, askedAt: version, &$1) }
            } catch {
                failed(ticket, error)
            }
        }
    }

    private func writeCursor(_ ticket: Ticket, _ write: CursorWrite) {
        guard let socket = socket(ticket.member) else { return }
        Task.immediate(executorPreference: loop) { [self] in
            do {
                try await self.write(write, of: socket)
                handle { $0.cursorWritten(ticket, &$1) }
            } catch {
                failed(ticket, error)
            }
            // A release that was written meanwhile may have been overtaken.
            if let release = socket.release, !contains(socket.id) { shard.cursors.release(release) }
        }
    }

    private func failed(_ ticket: Ticket, _ error: any Error) {
        context.log.warning("a socket cannot catch up", ["room": .name("\(room)"), "cause": .cause(error)])
        handle { $0.stepFailed(ticket, &$1) }
    }

    // MARK: Session cursors

    func write(_ write: CursorWrite, of socket: RoomSocket) async throws {
        guard let session = socket.identity.session else { return }
        switch write {
        case .confirmed(let seq): await context.cursors.confirm(session, room, seq)
        case .claim: if let record = record(of: write, socket) { try await context.cursors.write(record) }
        }
    }

    /// The record of a claim; nil for another write.
    func record(of write: CursorWrite, _ socket: RoomSocket) -> SessionCursors.SocketRecord? {
        guard case .claim(let cursor, let start, let end) = write, let session = socket.identity.session else {
            return nil
        }
        return SessionCursors.SocketRecord(
            session: session, room: room, seq: socket.reached(cursor),
            socket: .init(name: socket.name, start: start, joined: socket.joined, end: end), heard: socket.heard)
    }

    private func releaseCursor(_ id: MemberID, _ cursor: Int64, isClaimed: Bool) {
        guard let socket = socket(id), let session = socket.identity.session else { return }
        let release = SessionCursors.Release(
            session: session, room: room, seq: socket.reached(cursor), name: socket.name,
            claimed: isClaimed ? socket.joined : nil, heard: socket.heard)
        socket.release = release
        shard.cursors.release(release)
    }

    private func readCursor(_ id: MemberID) {
        guard let session = socket(id)?.identity.session else { return }
        Task.immediate(executorPreference: loop) { [self] in
            if let found = try? await context.cursors.find(session, room, within: Self.cursorTimeout) {
                handle { $0.cursorRead(id, found, &$1) }
            } else {
                askHead(id)
            }
        }
    }

    private func askHead(_ id: MemberID) {
        Task.immediate(executorPreference: loop) { [self] in
            while contains(id) {
                do {
                    let head = try await context.heads.head(of: room)
                    return handle { $0.cursorUnavailable(id, roomHead: head?.seq ?? 0, &$1) }
                } catch {
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                }
            }
        }
    }

    /// Without Redis nothing is live, so the member waits until it answers.
    private func readLastCursor(_ id: MemberID) {
        guard let session = socket(id)?.identity.session else { return }
        Task.immediate(executorPreference: loop) { [self] in
            while contains(id) {
                let found = try? await context.cursors.find(session, room)
                if let time = found?.timeUntilWhole {
                    try? await loop.sleep(for: time)
                } else if let found,
                    let fallback = try? await shard.limits.cursorReads.run({
                        try await context.chat.historyCursor(of: session, in: room)
                    })
                {
                    return handle { $0.lastCursorRead(id, found, fallback: fallback, &$1) }
                } else {
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                }
            }
        }
    }

    private func recheckAll(_ number: UInt64) {
        Task.immediate(executorPreference: loop) { [self] in
            // A later check takes over.
            while !isClosed, isLastRecheck(number) {
                do {
                    try await shard.recheckAll(in: self)
                    return handle { $0.allRechecked(number, &$1) }
                } catch {
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                }
            }
        }
    }
}
