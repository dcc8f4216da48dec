import Contract
import EventLoop
import ServiceKit
import Wire

/// Sends and reads messages.
struct Conversations: Sendable {
    let sendBuffers: LoopLocal<SendBuffer>
    let messages: MessageStore
    let details: MessageDetailStore
    let readMarkers: ReadMarkerStore
    let profiles: ProfileCache
    let blocks: BlockCache
    let moderation: ModerationCache
    let mentions: MentionFinder
    let attachments: Attachments
    let quota: MessageQuota
    let historyCursors: HistoryCursorPublisher
    let reads: ReadPublisher

    /// A page of a long history ends after this many messages, or once their content has this many bytes.
    private static let pageSize = 500
    private static let pageBytes = 1 << 20

    /// Writes a message and returns it after its commit. Idempotent: a repeated request returns the first message.
    func send(
        _ request: SendRequest, to target: MessageTarget, by caller: Caller, isScheduled: Bool = false
    ) async throws -> MessageBody {
        let rules = try await moderation.rules(of: target.workspace)
        try rules.requireWriting(caller.user)
        let content = try rules.filter.apply(to: request.content)
        try quota.take(caller.user, target.workspace)
        let author = try await profiles.member(caller.user)
        let mentions = try await mentions.findNamed(in: content, of: target, by: caller.user)
        let digest = request.digest(of: request.files.map(\.upload.digest))
        let paths = try await attachments.keep(request.files, in: target, by: caller.user)
        let files = request.kept + paths
        let previews = try await attachments.previews(of: files, in: target.workspace)
        let message = PendingMessage(
            room: target.room, workspace: target.workspace, roomName: target.name, authorView: author,
            session: caller.session, content: content, files: files, clientID: request.clientID,
            digest: digest, reply: request.reply, mentions: mentions, isScheduled: isScheduled, previews: previews)
        let outcome: SendOutcome
        do {
            outcome = try await sendBuffers.current.send(message)
        } catch let failure as BatchFailure {
            // A message that may have been committed keeps its files.
            if failure.isWithoutEffect { await attachments.discard(paths: paths) }
            throw failure.cause
        } catch {
            // The queue was full: the message never entered a batch.
            await attachments.discard(paths: paths)
            throw error
        }
        let refusal: Failure
        switch outcome {
        case .written(let written):
            return message.committed(as: written).body
        case .known(let written):
            await attachments.discard(paths: paths)
            if written.rev > 0 || !message.isPlain {
                return try await current(MessageKey(target.key, seq: written.seq), for: caller)
            }
            return message.committed(as: written).body
        case .conflicting:
            refusal = Failure(.invalidRequest, "Another message was sent with this client_id.", status: 409)
        case .overloaded:
            refusal = .tooManyCalls(retryAfter: .seconds(1))
        case .closed, .noThread:
            refusal = .notFound
        }
        await attachments.discard(paths: paths)
        throw refusal
    }

    /// A message as changes have left it.
    private func current(_ key: MessageKey, for caller: Caller) async throws -> MessageBody {
        var found = try await messages.find([key])
        try await details.fill(&found, for: .one(caller.user))
        guard let message = found.first else { throw Failure.notFound }
        return message.body(try await profiles.members([message].people))
    }

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
    func part(_ request: HistoryRequest, of room: RoomKey, for profile: ClientProfile) async throws -> Part {
        let range = try await request.range { try await messages.seq(of: room, at: $0) }
        let (fullHead, hasAsides) = try await messages.fullHead(of: room)
        let head = fullHead.seq
        let inTimeline = hasAsides && !request.withThreads
        let (after, through) =
            inTimeline ? try await timelinePart(range, of: room, upTo: head) : range.part(upTo: head)
        let isRead = range.readsForward || through == head
        let isNewest = head - through <= Self.maxMissed && profile.repeatedEvent == .harmless
        return Part(
            after: after, through: through, isRead: isRead, isContinued: isRead || isNewest, inTimeline: inTimeline)
    }

    /// The part of a timeline that a range means: a limit counts the messages of the timeline, without the replies between
    /// them.
    private func timelinePart(
        _ range: HistoryRange, of room: RoomKey, upTo head: Int64
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
            let part = try await part(request, of: target.key, for: profile)
            let page = try await page(
                of: target.key, after: part.after, through: part.through, inTimeline: part.inTimeline,
                for: MessageDetails.Readers(caller, profile), hiding: blocked)
            // Only now: a caller that gets an error has read nothing.
            if part.isRead, part.through > 0,
                try await readMarkers.advanceIfPossible(caller.user, in: target.key, to: part.through)
            {
                reads.moved(caller.user, in: target, to: part.through)
            }
            guard part.isContinued else {
                await historyCursors.end(caller.session, room, begun: begun)
                return Reading(part: part, page: page, blocked: blocked, leftOut: nil)
            }
            let leavesOut = request.hasCursor && profile.repeatedEvent == .fatal
            let leftOut = try await historyCursors.report(
                caller.session, room, part.through, begun: begun, leavingOutAfter: leavesOut ? part.after : nil)
            return Reading(part: part, page: page, blocked: blocked, leftOut: leftOut)
        } catch {
            await historyCursors.end(caller.session, room, begun: begun)
            throw error
        }
    }

    /// A page of the messages above `after` and up to `through`, oldest first. Empty if they have been erased.
    ///
    /// - Parameters:
    ///   - inTimeline: leaves out the replies that are in their threads alone.
    ///   - blocked: the users that the reader has blocked.
    func page(
        of room: RoomKey, after: Int64, through: Int64, inTimeline: Bool, for readers: MessageDetails.Readers,
        hiding blocked: Set<UserID>
    ) async throws -> Page {
        var stored = try await messages.page(
            of: room, after: after, through: through, limit: Self.pageSize, bytes: Self.pageBytes,
            inTimeline: inTimeline)
        try await details.fill(&stored, for: readers)
        let people = try await profiles.members(stored.people)
        // Without the replies of threads the last message of a part may be earlier than its end.
        let isShort = stored.count < Self.pageSize && stored.reduce(0) { $0 + $1.content.utf8.count } < Self.pageBytes
        let isLast = stored.last.map { $0.seq >= through || inTimeline && isShort } ?? true
        return Page(
            messages: stored.map { $0.body(people).hiding(blocked) }, sessions: stored.map(\.session), isLast: isLast)
    }

    /// Counts the messages by others after a moment, without those of users that the user has blocked. Nil and a moment that
    /// is not in the past mean the read marker.
    ///
    /// - Parameter inTimeline: leaves out the replies that are in their threads alone.
    func unread(
        in room: RoomKey, for user: UserID, since moment: Timestamp?, inTimeline: Bool
    ) async throws -> Int64 {
        var after: Int64?
        if let moment, moment < .now { after = try await messages.seq(of: room, at: moment) }
        return try await messages.unread(
            in: room, for: user, hiding: try await blocks.blocked(by: user), after: after, inTimeline: inTimeline)
    }

    /// Moves a read marker forward, at most to the room's head, and returns its value.
    func advanceReadMarker(of user: UserID, in target: MessageTarget, to seq: Int64) async throws -> Int64 {
        guard seq >= 0 else { throw Failure.invalid("seq must not be negative.") }
        try await advance(user, in: target, to: min(seq, try await messages.head(of: target.key)))
        return try await readMarkers.marker(of: user, in: target.key)
    }

    /// Moves a read marker forward, and tells the room.
    func advance(_ user: UserID, in target: MessageTarget, to seq: Int64) async throws {
        if try await readMarkers.advance(user, in: target.key, to: seq) { reads.moved(user, in: target, to: seq) }
    }

    /// The heads of those rooms that have messages.
    func heads(of rooms: [RoomID]) async throws -> [(room: RoomID, head: RoomHead)] {
        try await messages.heads(of: rooms)
    }
}
