import Contract
import EventLoop
import ServiceKit
import Wire

/// Sends and reads messages.
struct Conversations: Sendable {
    let sendBuffers: LoopLocal<SendBuffer>
    let history: HistoryReader
    let readMarkers: ReadMarkerStore
    let profiles: ProfileCache
    let blocks: BlockCache
    let moderation: ModerationCache
    let mentions: MentionFinder
    let attachments: Attachments
    let quota: MessageQuota
    let historyCursors: HistoryCursorPublisher
    let reads: ReadPublisher
    /// The markers of histories that came from a replica.
    let deferred: DeferredMarkers

    private var messages: MessageStore { history.primary.messages }

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
        let paths = try await attachments.keep(request.files, in: target, by: caller.user, naming: rules.filter)
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
            if failure.isWithoutEffect { await attachments.discard(paths: paths, in: target.workspace) }
            throw failure.cause
        } catch {
            // The queue was full: the message never entered a batch.
            await attachments.discard(paths: paths, in: target.workspace)
            throw error
        }
        let refusal: Failure
        switch outcome {
        case .written(let written):
            return message.committed(as: written).body
        case .known(let written):
            await attachments.discard(paths: paths, in: target.workspace)
            // The previews of the message are those of its first files.
            if written.rev > 0 || !message.isPlain || !written.files.isEmpty {
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
        await attachments.discard(paths: paths, in: target.workspace)
        throw refusal
    }

    /// A message as changes have left it.
    private func current(_ key: MessageKey, for caller: Caller) async throws -> MessageBody {
        var found = try await messages.find([key])
        try await history.primary.details.fill(&found, for: .one(caller.user))
        guard let message = found.first else { throw Failure.notFound }
        return message.body(try await profiles.members([message].people))
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

    /// The same for a reader of history: a database without space leaves the marker where it is.
    func advanceIfPossible(_ user: UserID, in target: MessageTarget, to seq: Int64) async throws {
        if try await readMarkers.advanceIfPossible(user, in: target.key, to: seq) {
            reads.moved(user, in: target, to: seq)
        }
    }
}
