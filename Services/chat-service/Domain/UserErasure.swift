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
    /// Nil for tables on one server.
    private let divided: DividedUserErasureStore?
    private let committer: ChangeCommitter
    private let messages: MessageErasure
    private let workspaces: WorkspaceClient
    private let auth: AuthClient
    private let log: Log
    private let queue = Mutex(ErasureQueue())
    private let signal = WakeSignal()
    /// The accounts take turns with their batches.
    private let turns = ConcurrencyLimiter(1)
    /// They take turns with the statements between the batches as well: those have no pauses, and a loop has a few connections.
    private let steps = ConcurrencyLimiter(1)

    private let pacer = ErasurePacer()

    /// Reactions that are taken back together. They share commits.
    private static let reactions = 100
    /// Reactions that one statement finds. It may read all that the user has.
    private static let reactionPage = 5000
    /// Messages that are deleted in one transaction. Smaller batches cost Postgres more for each message.
    static let batchSize = 200
    /// Messages that one statement looks at.
    private static let span: Int64 = 5000

    init(
        store: UserErasureStore, divided: DividedUserErasureStore?, committer: ChangeCommitter,
        messages: MessageErasure, workspaces: WorkspaceClient, auth: AuthClient, log: Log
    ) {
        self.store = store
        self.divided = divided
        self.committer = committer
        self.messages = messages
        self.workspaces = workspaces
        self.auth = auth
        self.log = log
    }

    /// Begins an erasure, unless it is under way in this process.
    func begin(_ deletion: UserDeletion) {
        queue.withLock { $0.add(deletion) }
        signal.wake()
    }

    /// Erases until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                if let deletion = queue.withLock({ $0.next() }) {
                    group.addTask(executorPreference: loop) { [self] in try await settle(deletion, on: loop) }
                } else {
                    try await signal.sleep(atMost: .seconds(60), on: loop)
                }
            }
        }
    }

    /// Erases an account. If that fails, it is tried again when auth-service repeats its fact.
    private func settle(_ deletion: UserDeletion, on loop: EventLoop) async throws {
        defer {
            queue.withLock { $0.finish(deletion) }
            signal.wake()
        }
        do {
            try await erase(deletion, on: loop)
            try await auth.erased(deletion, by: .chat)
        } catch {
            try Task.checkCancellation()
            log.warning("an erasure failed and will be retried", ["user": .id(deletion.user), "cause": .cause(error)])
        }
    }

    private func erase(_ deletion: UserDeletion, on loop: EventLoop) async throws {
        let user = deletion.user
        if let divided { return try await erase(deletion, by: divided, on: loop) }
        try await store.eraseOwnRows(of: user)
        try await eraseReactions(of: user, on: loop) { [store] in
            try await store.reactions(of: user, limit: Self.reactionPage)
        }
        let channels = try await channels(of: user)
        try await erase(deletion, in: Set(try await store.rooms(of: user)).union(channels), on: loop)
    }

    /// Erases an account in a divided schema, one workspace after the other. A failure for one of them stops no other; the first one is
    /// thrown at the end. While a part is out of reach, everything else is erased, and it throws as well.
    private func erase(
        _ deletion: UserDeletion, by divided: DividedUserErasureStore, on loop: EventLoop
    ) async throws {
        let user = deletion.user
        let channels = Dictionary(grouping: try await channels(of: user), by: \.workspace)
        let workspaces = try await divided.workspaces(of: user, and: Set(channels.keys))
        var failure: (any Error)?
        for workspace in workspaces.found {
            try Task.checkCancellation()
            do {
                try await divided.eraseOwnRows(of: user, in: workspace)
                try await eraseReactions(of: user, on: loop) {
                    try await divided.reactions(of: user, in: workspace, limit: Self.reactionPage)
                }
                let rooms = Set(try await divided.rooms(of: user, in: workspace))
                try await erase(deletion, in: rooms.union(channels[workspace] ?? []), on: loop)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        guard workspaces.isComplete else { throw PartOutOfReach() }
        try await divided.eraseSharedRows(of: user)
    }

    /// A part of a divided schema may have more rows of the account.
    private struct PartOutOfReach: Error {}

    /// Takes all reactions back, a page after the other.
    private func eraseReactions(
        of user: UserID, on loop: EventLoop, _ read: @Sendable () async throws -> [PendingChange]
    ) async throws {
        while case let page = try await steps.run(read), !page.isEmpty {
            for start in stride(from: 0, to: page.count, by: Self.reactions) {
                let reactions = Array(page[start...].prefix(Self.reactions))
                try await paced(on: loop) {
                    try await takeBack(reactions)
                    // A closed room refuses changes. Its reactions are seen by nobody and go without one.
                    try await store.erase(reactions, of: user)
                }
            }
        }
    }

    private func erase(_ deletion: UserDeletion, in rooms: Set<RoomKey>, on loop: EventLoop) async throws {
        let user = deletion.user
        for room in rooms {
            if deletion.deletesMessages { try await eraseMessages(of: user, in: room, on: loop) }
            try await steps.run { try await store.eraseTraces(of: user, in: room) }
        }
    }

    /// The rooms of today's channels. With those of DMs and those that the user was removed from, they are the rooms that the user may
    /// have written to. Until workspace-service has erased its part and chat-service has heard of it, one of them may be missing; a
    /// later round finds it.
    private func channels(of user: UserID) async throws -> [RoomKey] {
        try await workspaces.channels(of: user).map { RoomKey(workspace: $0.workspace, id: $0.room) }
    }

    private func eraseMessages(of user: UserID, in room: RoomKey, on loop: EventLoop) async throws {
        guard let target = try await store.target(room) else { return }
        var after: Int64 = 0
        while let page = try await steps.run({
            try await store.messages(of: user, in: room, after: after, span: Self.span)
        }) {
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

    /// Runs a batch of an erasure when it has its turn, and pauses after it.
    private func paced(on loop: EventLoop, _ batch: () async throws -> Void) async throws {
        try await turns.run {
            let start = EventLoop.preciseNow
            try await batch()
            try await loop.sleep(for: pacer.pause(after: .nanoseconds(Int64(EventLoop.preciseNow - start))))
        }
    }
}
