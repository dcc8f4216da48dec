import Contract
import ServiceKit
import Wire

/// Schedules messages, and lists, changes and cancels those that wait.
struct ScheduledMessages: Sendable {
    let store: ScheduledStore
    let limits: SchedulingLimits
    let sender: ScheduledSender
    let attachments: Attachments
    let changes: MessageChanges

    /// Schedules a message. The caller must be able to write to the room now. Idempotent: the same `client_id`, text and
    /// time again returns the first one, also after it was sent.
    func schedule(
        _ request: SendRequest, at: Timestamp, to target: MessageTarget, by caller: Caller
    ) async throws -> ScheduledMessage {
        // Before all checks: the time of an earlier call may have come meanwhile.
        if let known = try await store.find(request, to: target, by: caller.user) {
            try Self.requireSame(known, request, at)
            return known
        }
        if let sent = try await findSent(request, at, to: target, by: caller) { return sent }
        try limits.check(at)
        // The send checks it again. Masked words are masked then.
        let rules = try await changes.moderation.rules(of: target.workspace)
        try rules.requireWriting(caller.user)
        _ = try rules.filter.apply(to: request.content)
        if let reply = request.reply {
            let named = try await changes.existing(MessageKey(target.key, seq: reply.seq))
            if let thread = named.traits?.thread {
                _ = try await changes.existing(MessageKey(target.key, seq: thread.root))
            }
        }
        let files = try await attachments.keep(request.files, in: target, by: caller.user, naming: rules.filter)
        do {
            let scheduled = try await insert(request, files, at, target, caller)
            // An earlier call has stored its own files.
            if scheduled.files != files { await attachments.discard(paths: files, in: target.workspace) }
            sender.wake()
            return scheduled
        } catch {
            // A message that may have been stored keeps its files. If it was not, the sweep removes them.
            if error is Failure || BatchFailure(error).isWithoutEffect {
                await attachments.discard(paths: files, in: target.workspace)
            }
            throw error
        }
    }

    private func insert(
        _ request: SendRequest, _ files: [String], _ at: Timestamp, _ target: MessageTarget, _ caller: Caller
    ) async throws -> ScheduledMessage {
        let scheduled = try await store.insert(
            request, files: files, at: at, to: target, by: caller, limit: limits.ofUser, now: .now)
        guard let scheduled else {
            // An earlier call may have been sent while the files of this one came.
            if let sent = try await findSent(request, at, to: target, by: caller) { return sent }
            throw Failure.invalid("You have too many scheduled messages.")
        }
        try Self.requireSame(scheduled, request, at)
        return scheduled
    }

    /// The message of an earlier call with the same `client_id` that was sent; nil if there is none. Its text may have been edited since,
    /// so the digest of its send is compared. That of a deleted message is erased.
    private func findSent(
        _ request: SendRequest, _ at: Timestamp, to target: MessageTarget, by caller: Caller
    ) async throws -> ScheduledMessage? {
        guard let sent = try await store.findSent(request, to: target, by: caller.user) else { return nil }
        if let digest = sent.digest {
            guard sent.at == at, sent.files.count == request.files.count else { throw Self.otherMessage }
            let same = try SendRequest(
                content: request.content, files: [], clientID: request.clientID, reply: request.reply, kept: sent.files)
            guard same.digest(of: []) == digest else { throw Self.otherMessage }
        }
        return ScheduledMessage(
            id: sent.id, author: caller.user, session: caller.session, workspace: target.workspace, room: target.room,
            content: request.content, files: sent.files, reply: request.reply, clientID: request.clientID, at: sent.at,
            createdAt: sent.createdAt, state: .sent)
    }

    private static let otherMessage = Failure(
        .invalidRequest, "Another message was scheduled with this client_id.", status: 409)

    /// Throws unless a call with the `client_id` of a stored message asks for the same.
    private static func requireSame(
        _ scheduled: ScheduledMessage, _ request: SendRequest, _ at: Timestamp
    ) throws(Failure) {
        guard scheduled.content == request.content, scheduled.at == at, scheduled.reply == request.reply,
            scheduled.files.count == request.files.count
        else { throw otherMessage }
    }

    /// A page of the caller's scheduled messages by their times, after `cursor`.
    func list(of user: UserID, after cursor: ScheduledCursor?, limit: Int) async throws -> [ScheduledMessage] {
        try await store.list(of: user, after: cursor, limit: limit)
    }

    /// Changes the text or the time of a message. A message that failed waits again. One that is being sent is not found.
    func change(
        _ id: ScheduledID, content: String?, at: Timestamp?, by caller: Caller
    ) async throws -> ScheduledMessage {
        if let content {
            // Its files never change. A message with files needs no text.
            let files = try await content.isEmpty ? store.files(of: id, caller.user) : []
            _ = try SendRequest(content: content, files: [], clientID: nil, kept: files)
        }
        if let at { try limits.check(at) }
        guard let changed = try await store.change(id, of: caller.user, content: content, at: at, now: .now) else {
            throw Failure.notFound
        }
        sender.wake()
        return changed
    }

    /// Cancels a message. One that is being sent is not found.
    func cancel(_ id: ScheduledID, by caller: Caller) async throws {
        guard let files = try await store.cancel(id, of: caller.user) else { throw Failure.notFound }
        await attachments.discard(paths: files, in: nil)
    }
}

/// The place of a scheduled message in the list of its author.
struct ScheduledCursor: Sendable {
    let at: Timestamp
    let id: Int64

    init(_ message: ScheduledMessage) {
        at = message.at
        id = message.id.rawValue
    }

    /// Reads the text of `description`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]), let id = Int64(parts[1]) else { return nil }
        self.at = Timestamp(milliseconds: at)
        self.id = id
    }

    var description: String { "\(at.milliseconds)-\(id)" }
}
