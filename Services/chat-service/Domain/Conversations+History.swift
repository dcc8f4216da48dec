import Contract
import ServiceKit
import Wire

extension Conversations {
    /// A page of a long history ends after this many messages, or once their content has this many bytes.
    private static let pageSize = 500
    private static let pageBytes = 1 << 20

    /// A part of a room's history: the messages above `after` and up to `through`.
    struct Part: Sendable {
        let after: Int64
        let through: Int64
        /// Whether the reader has read the room up to `through`.
        let isRead: Bool
        /// Whether the session's socket continues after `through`, unless it has been sent more.
        let isContinued: Bool
        /// Whether replies are left out that are in their threads alone.
        let inTimeline: Bool
    }

    /// Messages with their authors, and the sessions that sent them.
    struct Page: Sendable {
        let messages: [MessageBody]
        let sessions: [SessionID]
        let isLast: Bool
    }

    /// The beginning of a history reply.
    struct Reading: Sendable {
        let part: Part
        let page: Page
        /// Where the following pages are read.
        let stores: HistoryStores
        /// The users that the reader has blocked.
        let blocked: Set<UserID>
        /// The messages that the reply must leave out, because a socket that has just joined is sent them.
        let leftOut: Range<Int64>?
    }

    /// A page that ends at most this many messages below the head counts as the newest page that its reader knew of.
    private static let maxMissed: Int64 = 500

    /// Finds the part of a room's history that a request means now.
    ///
    /// A page of older messages does not show how far its reader has read. But a client that asks for the page before
    /// its newest known message may have missed the messages after it. If nothing more is known of the session, its
    /// socket sends those. They may include messages that the client has from elsewhere, so this is skipped for clients
    /// for which a repeated event is fatal.
    func part(
        _ request: HistoryRequest, of room: RoomKey, for profile: ClientProfile, in messages: MessageStore
    ) async throws -> Part {
        let range = try await request.range { try await messages.seq(of: room, at: $0) }
        let (fullHead, hasAsides) = try await messages.fullHead(of: room)
        history.note(room.id, fullHead)
        let head = fullHead.seq
        let inTimeline = hasAsides && !request.withThreads
        let (after, through) =
            inTimeline ? try await timelinePart(range, of: room, upTo: head, in: messages) : range.part(upTo: head)
        let isRead = range.readsForward || through == head
        let isNewest = head - through <= Self.maxMissed && profile.repeatedEvent == .harmless
        return Part(
            after: after, through: through, isRead: isRead, isContinued: isRead || isNewest, inTimeline: inTimeline)
    }

    /// The part of a timeline that a range means: a limit counts the messages of the timeline, without the replies between
    /// them.
    private func timelinePart(
        _ range: HistoryRange, of room: RoomKey, upTo head: Int64, in messages: MessageStore
    ) async throws -> (after: Int64, through: Int64) {
        switch range {
        case .after(let seq, let limit?):
            let end = try await messages.timelineEnd(of: room, after: seq, count: limit)
            return (min(seq, head), min(end ?? head, head))
        case .before(let seq, let limit):
            let start = try await messages.timelineStart(of: room, before: seq, count: limit)
            return ((start ?? 1) - 1, min(seq - 1, head))
        case .after: return range.part(upTo: head)
        }
    }

    /// Reads the first page of the part of a room's history that a client asks for. Gateways know of the call while it
    /// runs, and of its reply before the reply is sent.
    func read(
        _ request: HistoryRequest, of target: MessageTarget, by caller: Caller, for profile: ClientProfile
    ) async throws -> Reading {
        let room = target.room
        // No socket goes on from a page of older messages, as a rule.
        let begun = request.readsOn ? historyCursors.begin(caller.session, room) : nil
        do {
            let blocked = try await blocks.blocked(by: caller.user)
            let ((part, page), stores) = try await history.read(target.key, seen: request.seen) { stores in
                let part = try await self.part(request, of: target.key, for: profile, in: stores.messages)
                let page = try await self.page(
                    of: target.key, after: part.after, through: part.through, inTimeline: part.inTimeline,
                    for: MessageDetails.Readers(caller, profile), hiding: blocked, in: stores)
                return (part, page)
            }
            // Only now: a caller that gets an error has read nothing.
            try await markRead(part, by: caller.user, in: target, stores)
            guard part.isContinued else {
                await historyCursors.end(caller.session, room, begun: begun)
                return Reading(part: part, page: page, stores: stores, blocked: blocked, leftOut: nil)
            }
            let leavesOut = request.hasCursor && profile.repeatedEvent == .fatal
            let leftOut = try await historyCursors.report(
                caller.session, target.key, part.through, begun: begun, leavingOutAfter: leavesOut ? part.after : nil)
            return Reading(part: part, page: page, stores: stores, blocked: blocked, leftOut: leftOut)
        } catch {
            await historyCursors.end(caller.session, room, begun: begun)
            throw error
        }
    }

    private func markRead(
        _ part: Part, by user: UserID, in target: MessageTarget, _ stores: HistoryStores
    ) async throws {
        guard part.isRead, part.through > 0 else { return }
        guard stores.isPrimary else { return deferred.add(user, in: target, to: part.through) }
        try await advanceIfPossible(user, in: target, to: part.through)
    }

    /// Moves the read markers of histories that came from a replica. Called every second.
    func advanceDeferredMarkers() async throws {
        if deferred.isEmpty || history.replicas?.primary.isDown != false { return }
        try await deferred.flush { try await advance($0, in: $1, to: $2) }
    }

    /// A page of the messages above `after` and up to `through`, oldest first. Empty if they have been erased.
    ///
    /// - Parameters:
    ///   - inTimeline: leaves out the replies that are in their threads alone.
    ///   - blocked: the users that the reader has blocked.
    func page(
        of room: RoomKey, after: Int64, through: Int64, inTimeline: Bool, for readers: MessageDetails.Readers,
        hiding blocked: Set<UserID>, in stores: HistoryStores
    ) async throws -> Page {
        var stored = try await stores.messages.page(
            of: room, after: after, through: through, limit: Self.pageSize, bytes: Self.pageBytes,
            inTimeline: inTimeline)
        try await stores.details.fill(&stored, for: readers)
        let people = try await profiles.members(stored.people)
        // Without the replies of threads the last message of a part may be earlier than its end.
        let isShort = stored.count < Self.pageSize && stored.reduce(0) { $0 + $1.content.utf8.count } < Self.pageBytes
        let isLast = stored.last.map { $0.seq >= through || inTimeline && isShort } ?? true
        return Page(
            messages: stored.map { $0.body(people).hiding(blocked) }, sessions: stored.map(\.session), isLast: isLast)
    }
}
