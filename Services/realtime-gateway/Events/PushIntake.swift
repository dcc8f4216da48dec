import Contract
import Redis
import ServiceKit
import Synchronization
import Wire

/// Turns the messages on the stream of pushes into rows: one for each device of the members without a socket in the room.
///
/// A message may arrive again long after its members have read it live and left the room. A message that was handled
/// completely is recorded in the database. If handling failed, `UsersPresentAtFailure` keeps the members that were in
/// the room for the next attempt.
final class PushIntake: Sendable {
    private let store: PushStore
    private let recipients: PushRecipients
    private let chat: ChatClient
    private let presence: Presence
    private let sender: PushSender
    private let profiles: ClientProfiles
    private let oldest: Duration
    private let unknown: UnknownMessages
    private let presentAtFailure = Mutex(UsersPresentAtFailure())

    private static let atOnce = 8

    /// - Parameters:
    ///   - oldest: older messages are not pushed.
    ///   - unknown: counts messages that cannot be read.
    init(
        store: PushStore, recipients: PushRecipients, chat: ChatClient, presence: Presence, sender: PushSender,
        profiles: ClientProfiles, oldest: Duration, counting unknown: UnknownMessages
    ) {
        self.store = store
        self.recipients = recipients
        self.chat = chat
        self.presence = presence
        self.sender = sender
        self.profiles = profiles
        self.oldest = oldest
        self.unknown = unknown
    }

    /// Handles the messages of an entry, some at a time. A repeated message changes nothing, and a message that fails
    /// does not block the others.
    func take(_ entry: RedisStreamEntry) async throws {
        var waiting = PushEntry.messages(of: entry, counting: unknown)[...]
        var failure: (any Error)?
        while !waiting.isEmpty {
            await withTaskGroup(of: (any Error)?.self) { group in
                for message in waiting.prefix(Self.atOnce) {
                    group.addTask { await self.attempt(message) }
                }
                for await error in group { failure = failure ?? error }
            }
            waiting = waiting.dropFirst(Self.atOnce)
        }
        if let failure { throw failure }
    }

    private func isDue(_ message: RoomMessage) -> Bool { .now - message.body.createdAt <= oldest }

    private func attempt(_ message: RoomMessage) async -> (any Error)? {
        do {
            try await take(message)
            return nil
        } catch {
            return error
        }
    }

    private func take(_ message: RoomMessage) async throws {
        guard isDue(message) else {
            _ = try await store.insert(message, PushMessage(message, content: ""), .expired, isLast: true, at: .now)
            return
        }
        async let progress = store.progress(of: message)
        let present = await presence.users(in: message.room).union(presentAtFailure(of: message))
        do {
            guard case .decided(let last) = try await progress else { return }
            try await write(message, present, after: last)
        } catch {
            remember(present, of: message)
            throw error
        }
        sender.wake()
    }

    /// Pages begin after the last member with a decision. The pages of an attempt that failed may have ended elsewhere, because
    /// members have left since.
    private func write(_ message: RoomMessage, _ present: Set<UserID>, after last: UserID?) async throws {
        var after = last
        while true {
            let page = try await recipients.members(of: message, after: after)
            let others = page.users.filter { $0 != message.body.author.id }
            let decided = try await decide(message, others, present, after: after)
            // chat-service of an older version wrote the text into the stream.
            let push = PushMessage(message, content: decided.content ?? message.body.content)
            if try await store.insert(message, push, decided, isLast: page.next == nil, at: .now) {
                guard let next = page.next else { return }
                after = next
            } else {
                guard case .decided(let last) = try await store.progress(of: message) else { return }
                after = last
            }
        }
    }

    /// Decides for a page of members. Asks auth-service and chat-service once each, and leaves out members with a
    /// reason already.
    private func decide(
        _ message: RoomMessage, _ users: [UserID], _ present: Set<UserID>, after: UserID?
    ) async throws -> PushPage {
        let devices = try await recipients.devices(of: users.filter { !present.contains($0) })
        var page = PushPage(after: after, users: users, present: present, devices: devices) { [profiles] device in
            device.profile.flatMap { profiles[name: $0] }?.isNative == true
        }
        page.add(
            try await chat.pushDecisions(
                for: page.undecided, badges: page.withBadge, of: message.body.seq, in: message.room))
        return page
    }

    private func presentAtFailure(of message: RoomMessage) -> Set<UserID> {
        presentAtFailure.withLock { $0.take(PushMessage.collapseID(of: message)) }
    }

    private func remember(_ present: Set<UserID>, of message: RoomMessage) {
        presentAtFailure.withLock { $0.note(present, PushMessage.collapseID(of: message)) }
    }
}
