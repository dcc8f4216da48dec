import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Erases the data of deleted accounts in the background: drafts, settings, read markers, reactions and earlier texts, and
/// the messages themselves if their author wished it. Otherwise they stay, with a profile without a person.
///
/// Reactions and messages go through the changes of messages, so that sockets and devices hear of them. Every step may be
/// repeated, and a room that is done is not looked at again.
final class UserErasure: Sendable {
    private let store: UserErasureStore
    private let committer: ChangeCommitter
    private let attachments: Attachments
    private let workspaces: WorkspaceClient
    private let auth: AuthClient
    private let log: Log
    private let waiting = Mutex<[UserDeletion]>([])
    private let signal = WakeSignal()

    /// Changes on their way at a time. They share commits.
    private static let concurrency = 100
    private static let pageSize = 200
    /// The pause after each page, in which sends have the database to themselves.
    private static let pause = Duration.milliseconds(50)
    /// Messages that one statement looks at.
    private static let span: Int64 = 5000

    init(
        store: UserErasureStore, committer: ChangeCommitter, attachments: Attachments, workspaces: WorkspaceClient,
        auth: AuthClient, log: Log
    ) {
        self.store = store
        self.committer = committer
        self.attachments = attachments
        self.workspaces = workspaces
        self.auth = auth
        self.log = log
    }

    /// Begins an erasure, unless it is under way in this process.
    func begin(_ deletion: UserDeletion) {
        waiting.withLock { waiting in
            if !waiting.contains(deletion) { waiting.append(deletion) }
        }
        signal.wake()
    }

    /// Erases until the task is cancelled. An erasure that fails is tried again when auth-service repeats its fact.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            guard let deletion = waiting.withLock(\.first) else {
                try await signal.sleep(atMost: .seconds(60), on: loop)
                continue
            }
            do {
                try await erase(deletion, on: loop)
                try await auth.erased(deletion, by: .chat)
            } catch {
                try Task.checkCancellation()
                log.warning("an erasure is tried again", ["user": .id(deletion.user), "cause": .cause(error)])
            }
            waiting.withLock { waiting in waiting.removeAll { $0 == deletion } }
        }
    }

    private func erase(_ deletion: UserDeletion, on loop: EventLoop) async throws {
        let user = deletion.user
        try await store.eraseOwnRows(of: user)
        while case let reactions = try await store.reactions(of: user, limit: Self.pageSize), !reactions.isEmpty {
            try await apply(reactions)
            // A closed room refuses changes. Its reactions are seen by nobody and go without one.
            try await store.erase(reactions, of: user)
            try await loop.sleep(for: Self.pause)
        }
        for room in try await rooms(of: user) {
            if deletion.deletesMessages { try await eraseMessages(of: user, in: room, on: loop) }
            try await store.eraseTraces(of: user, in: room)
        }
    }

    /// The rooms that the user may have written to: those of today's channels, of DMs, and those that the user was removed
    /// from. Until workspace-service has erased its part and chat-service has heard of it, one of them may be missing; a
    /// later round finds it.
    private func rooms(of user: UserID) async throws -> Set<RoomID> {
        let channels = try await workspaces.channels(of: user)
        return Set(try await store.rooms(of: user)).union(channels.map(\.room))
    }

    private func eraseMessages(of user: UserID, in room: RoomID, on loop: EventLoop) async throws {
        var after: Int64 = 0
        while let page = try await store.messages(of: user, in: room, after: after, span: Self.span) {
            for start in stride(from: 0, to: page.changes.count, by: Self.pageSize) {
                try await apply(Array(page.changes[start...].prefix(Self.pageSize)))
                try await loop.sleep(for: Self.pause)
            }
            after = page.end
        }
    }

    /// Applies changes, some at a time. A refused one concerns a message that is gone meanwhile.
    private func apply(_ changes: [PendingChange]) async throws {
        for start in stride(from: 0, to: changes.count, by: Self.concurrency) {
            let outcomes = try await withThrowingTaskGroup(of: ChangeOutcome.self) { group in
                for change in changes[start...].prefix(Self.concurrency) {
                    group.addTask { [committer] in try await committer.apply(change) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for case .done(_, let erasedFiles) in outcomes where !erasedFiles.isEmpty {
                await attachments.discard(paths: erasedFiles)
            }
        }
    }
}
