import Contract
import Redis
import ServiceKit
import Synchronization
import Wire

/// Consumes the stream of pushes: writes a row for each device of each room member without a socket in the room.
///
/// A job may be redelivered long after, when users who read its message live have left. So a finished job is noted in the
/// database, and a failed one keeps in memory which users were present.
final class PushIntake: Sendable {
    private let store: PushStore
    private let workspaces: WorkspaceClient
    private let chat: ChatClient
    private let auth: AuthClient
    private let presence: Presence
    private let sender: PushSender
    private let oldest: Duration
    /// The users who were present when a failed job was first tried, by the name of its push.
    private let witnesses = Mutex<[String: Set<UserID>]>([:])

    private static let mostWitnessed = 4096
    private static let atOnce = 8

    /// - Parameter oldest: messages older than this are not pushed any more.
    init(
        store: PushStore, workspaces: WorkspaceClient, chat: ChatClient, auth: AuthClient, presence: Presence,
        sender: PushSender, oldest: Duration
    ) {
        self.store = store
        self.workspaces = workspaces
        self.chat = chat
        self.auth = auth
        self.presence = presence
        self.sender = sender
        self.oldest = oldest
    }

    /// Takes an entry's messages, some at a time. A redelivered message changes nothing, and a failed one holds up no other.
    func take(_ entry: RedisStreamEntry) async throws {
        var waiting = entry.fields.filter { $0.name == "body" }.compactMap(news)[...]
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

    /// The message in a field; nil if it is not pushed, or too old.
    private func news(_ field: RedisStreamEntry.Field) -> RoomMessage? {
        guard let json = try? JSONValue(parsing: field.value), case .message(let message)? = RoomEvent(json),
            .now - message.body.createdAt <= oldest
        else { return nil }
        return message
    }

    private func attempt(_ message: RoomMessage) async -> (any Error)? {
        do {
            try await take(message)
            return nil
        } catch {
            return error
        }
    }

    private func take(_ message: RoomMessage) async throws {
        let push = PushMessage(message)
        async let isTaken = store.isTaken(message)
        let present = await presence.users(in: message.room).union(witnesses(of: push))
        do {
            if try await isTaken { return }
            try await write(message, push, present)
        } catch {
            remember(present, of: push)
            throw error
        }
        sender.wake()
    }

    private func write(_ message: RoomMessage, _ push: PushMessage, _ present: Set<UserID>) async throws {
        var after: UserID?
        repeat {
            let page = try await recipients(of: message, after: after)
            let absent = page.users.filter { $0 != message.body.author.id && !present.contains($0) }
            let devices = try await auth.devices(of: absent)
            try await store.insert(message, push, devices, isLast: page.next == nil, at: .now)
            after = page.next
        } while after != nil
    }

    private func recipients(of message: RoomMessage, after: UserID?) async throws -> (users: [UserID], next: UserID?) {
        if let channel = message.room.channel { return try await workspaces.members(of: channel, after: after) }
        guard let dm = message.room.dm, let room = try await chat.dms([dm], of: message.body.author.id).first else {
            return ([], nil)
        }
        return (room.isOpen ? room.users : [], nil)
    }

    private func witnesses(of push: PushMessage) -> Set<UserID> {
        witnesses.withLock { $0.removeValue(forKey: push.collapseID) ?? [] }
    }

    private func remember(_ present: Set<UserID>, of push: PushMessage) {
        witnesses.withLock { witnesses in
            if witnesses.count >= Self.mostWitnessed { witnesses.removeAll() }
            witnesses[push.collapseID] = present
        }
    }
}
