import Contract
import EventLoop
import Redis
import ServiceKit
import Wire

/// Publishes committed changes on their rooms' channels, at most one event a message in every `pause`.
///
/// Changes of a message that were committed meanwhile become one event, which lists their revisions. So a thousand
/// reactions to one message cost a few events. No caller waits for it. If Redis or this process fails, the outbox still has
/// the changes and its relay publishes them.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class ChangePublisher: @unchecked Sendable {
    private struct Pending {
        var message: StoredMessage
        let target: MessageTarget
        var revs: [Int64]
        /// See `RoomChange`.
        var othersAfter: Int64?
    }

    private struct OutboxRowKey {
        let id: Int64
        let workspace: WorkspaceID
    }

    private let redis: Redis
    private let streams: OutboxStreams
    private let outbox: OutboxStore
    private let profiles: ProfileCache
    private let loop: EventLoop
    private var pending: [MessageKey: Pending] = [:]
    private var rows: [OutboxRowKey] = []
    /// Whether events are on their way, or the pause after them lasts.
    private var isBusy = false

    private static let pause = Duration.milliseconds(50)

    init(redis: Redis, outbox: OutboxStore, profiles: ProfileCache, on loop: EventLoop) {
        self.redis = redis
        streams = .pushes(in: redis)
        self.outbox = outbox
        self.profiles = profiles
        self.loop = loop
    }

    /// Publishes one message for all that a commit has changed in a room after a revision; gateways ask for the others. It
    /// may be called on any loop.
    func publish(_ message: StoredMessage, in target: MessageTarget, othersAfter rev: Int64, row: Int64) {
        loop.execute { [self] in publish([message], in: [target.room: target], row: row, othersAfter: rev) }
    }

    /// Publishes the messages of a commit. To be called on the loop.
    func publish(
        _ messages: [StoredMessage], in targets: [RoomID: MessageTarget], row: Int64?, othersAfter: Int64? = nil
    ) {
        guard let row, let workspace = messages.first?.workspace else { return }
        for message in messages {
            guard let target = targets[message.room] else { continue }
            guard var waiting = pending[message.key] else {
                pending[message.key] = Pending(
                    message: message, target: target, revs: [message.details.rev], othersAfter: othersAfter)
                continue
            }
            waiting.othersAfter = [waiting.othersAfter, othersAfter].compactMap(\.self).min()
            // Of two commits under way, the later one may be noticed first.
            if message.details.rev > waiting.message.details.rev { waiting.message = message }
            waiting.revs = (waiting.revs + [message.details.rev]).sorted()
            pending[message.key] = waiting
        }
        rows.append(OutboxRowKey(id: row, workspace: workspace))
        if !isBusy { flush() }
    }

    private func flush() {
        let (changes, rows) = (Array(pending.values), rows)
        pending = [:]
        self.rows = []
        isBusy = !rows.isEmpty
        guard isBusy else { return }
        let start = EventLoop.preciseNow
        Task.immediate(executorPreference: loop) { [self] in
            await publish(changes, rows)
            let left = Self.pause - .nanoseconds(Int64(EventLoop.preciseNow - start))
            loop.schedule(after: max(left, .zero)) { [self] in flush() }
        }
    }

    private func publish(_ changes: [Pending], _ rows: [OutboxRowKey]) async {
        guard let people = try? await profiles.members(changes.map(\.message).people) else { return }
        let events = changes.map { change in
            let message = change.message
            return RoomChange(
                RoomMessage(
                    room: message.room, workspace: change.target.workspace, name: change.target.name,
                    body: message.body(people), session: message.session),
                revs: change.revs, othersAfter: change.othersAfter)
        }
        guard let first = rows.first?.id else { return }
        let stream = streams.key(ofRow: first)
        let connections = redis.state
        let outcomes = await redis.runInBatches(Self.commands(publishing: events, appendingTo: stream))
        guard let entry = try? outcomes.last?.get().text, outcomes.allSatisfy(\.isSuccess) else { return }
        for row in rows {
            outbox.markPublished(
                row.id, streams.position(of: entry, in: stream), of: row.workspace, appendedBy: connections)
        }
    }

    /// The commands that publish changes in the order of their revisions. The last one appends an entry without a message to
    /// a stream of pushes, because the outbox needs its id.
    static func commands(publishing changes: [RoomChange], appendingTo stream: RedisKey) -> [RedisCommand] {
        let ordered = changes.sorted { ($0.message.room, $0.rev) < ($1.message.room, $1.rev) }
        return ordered.map { .publish(RoomEvent.changed($0).encoded(), in: $0.message.room) }
            + [PushEntry.withoutMessages(appendingTo: stream)]
    }
}
