import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Erases the data of deleted accounts in the background: drafts, settings, read markers, reactions and earlier texts, and
/// the messages themselves if their author wished it. Otherwise they stay, with a profile without a person.
///
/// Sockets and devices hear of the reactions and messages that go, as of any change of a message. Every step may be
/// repeated, and a room that is done is not looked at again.
final class UserErasure: Sendable {
    private let store: UserErasureStore
    private let committer: ChangeCommitter
    private let messages: MessageErasure
    private let workspaces: WorkspaceClient
    private let auth: AuthClient
    private let log: Log
    private let waiting = Mutex<[UserDeletion]>([])
    private let signal = WakeSignal()

    private let pacer = ErasurePacer()

    /// Reactions that are taken back together. They share commits.
    private static let reactions = 100
    /// Reactions that one statement finds. It may read all that the user has.
    private static let reactionPage = 5000
    /// Messages that are deleted in one transaction.
    static let batchSize = 200
    /// Messages that one statement looks at.
    private static let span: Int64 = 5000

    init(
        store: UserErasureStore, committer: ChangeCommitter, messages: MessageErasure, workspaces: WorkspaceClient,
        auth: AuthClient, log: Log
    ) {
        self.store = store
        self.committer = committer
        self.messages = messages
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
        while case let page = try await store.reactions(of: user, limit: Self.reactionPage), !page.isEmpty {
            for start in stride(from: 0, to: page.count, by: Self.reactions) {
                let reactions = Array(page[start...].prefix(Self.reactions))
                try await paced(on: loop) {
                    try await takeBack(reactions)
                    // A closed room refuses changes. Its reactions are seen by nobody and go without one.
                    try await store.erase(reactions, of: user)
                }
            }
        }
        for room in try await rooms(of: user) {
            if deletion.deletesMessages { try await eraseMessages(of: user, in: room, on: loop) }
            try await store.eraseTraces(of: user, in: room)
        }
    }

    /// The rooms that the user may have written to: those of today's channels, of DMs, and those that the user was removed
    /// from. Until workspace-service has erased its part and chat-service has heard of it, one of them may be missing; a
    /// later round finds it.
    private func rooms(of user: UserID) async throws -> Set<RoomKey> {
        let channels = try await workspaces.channels(of: user)
        return Set(try await store.rooms(of: user)).union(
            channels.map { RoomKey(workspace: $0.workspace, id: $0.room) })
    }

    private func eraseMessages(of user: UserID, in room: RoomKey, on loop: EventLoop) async throws {
        guard let target = try await store.target(room) else { return }
        var after: Int64 = 0
        while let page = try await store.messages(of: user, in: room, after: after, span: Self.span) {
            for start in stride(from: 0, to: page.seqs.count, by: Self.batchSize) {
                let batch = Array(page.seqs[start...].prefix(Self.batchSize))
                try await paced(on: loop) { try await messages.erase(batch, of: user, in: target) }
            }
            after = page.end
        }
    }

    /// Takes reactions back. A refused change concerns a message that is gone meanwhile.
    private func takeBack(_ reactions: [PendingChange]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for change in reactions {
                group.addTask { [committer] in _ = try await committer.apply(change) }
            }
            try await group.waitForAll()
        }
    }

    /// Runs a part of an erasure, and pauses after it.
    private func paced(on loop: EventLoop, _ part: () async throws -> Void) async throws {
        let start = EventLoop.preciseNow
        try await part()
        try await loop.sleep(for: pacer.pause(after: .nanoseconds(Int64(EventLoop.preciseNow - start))))
    }
}
