import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Telemetry
import Wire

/// Publishes committed messages: each one on its room's channel, and all of them on a stream of pushes.
///
/// No sender waits for it. If Redis or this process fails meanwhile, the outbox still has the messages and its relay
/// publishes them. A gateway drops messages that it has already.
struct MessagePublisher: Sendable {
    let redis: Redis
    let outbox: OutboxStore
    let streams: OutboxStreams
    let sent: Counter

    /// Publishes the messages that `result` lists as written, in a task on `loop`.
    func publish(_ pending: [PendingMessage], _ result: MessageWriter.Result, on loop: EventLoop) {
        var spans: [OpenSpan] = []
        let messages = zip(pending, result.outcomes).compactMap { pending, outcome -> RoomMessage? in
            guard case .written(let written) = outcome else { return nil }
            var message = pending.committed(as: written)
            if let span = pending.call?.recorder?.beginPublishing(to: message.room) {
                message.trace = span.context
                spans.append(span)
            }
            return message
        }
        guard let row = result.outboxRow, let workspace = messages.first?.workspace else { return }
        sent.increment(by: UInt64(messages.count))
        let stream = streams.key(ofRow: row)
        let commands = Self.commands(publishing: messages, appendingTo: stream)
        Task.immediate(executorPreference: loop) { [spans] in
            let connections = redis.state
            let outcomes = await redis.runInBatches(commands)
            for span in spans { span.end(hasFailed: !outcomes.allSatisfy(\.isSuccess)) }
            guard let entry = try? outcomes.last?.get().text, outcomes.allSatisfy(\.isSuccess) else { return }
            outbox.markPublished(
                row, streams.position(of: entry, in: stream), of: workspace, appendedBy: connections)
        }
    }

    /// The commands that publish messages on their rooms' channels, and then append them to a stream of pushes, as
    /// many in an entry as fit.
    static func commands(publishing messages: [RoomMessage], appendingTo stream: RedisKey) -> [RedisCommand] {
        var commands: [RedisCommand] = []
        var entries: [RedisCommand] = []
        var entry = PushEntry()
        for message in messages {
            commands.append(.publish(RoomEvent.message(message).encoded(), in: message.room))
            // A message that was deleted before its publishing notifies nobody.
            if message.body.isDeleted { continue }
            entry.add(message)
            guard entry.isFull else { continue }
            entries.append(entry.command(appendingTo: stream))
            entry = PushEntry()
        }
        if !entry.isEmpty { entries.append(entry.command(appendingTo: stream)) }
        // The outbox needs the id of an entry.
        if entries.isEmpty { entries.append(PushEntry.withoutMessages(appendingTo: stream)) }
        return commands + entries
    }
}

extension SpanRecorder {
    /// Begins the span of a message on its way to Redis. Gateways continue from it.
    fileprivate func beginPublishing(to room: RoomID) -> OpenSpan {
        var open = begin("publish room", .producer)
        open.span.set("messaging.system", .text("redis"))
        open.span.set("messaging.operation.type", .text("send"))
        open.span.set("messaging.destination.template", .text("room:{room}"))
        return open
    }
}

extension Result {
    var isSuccess: Bool { if case .success = self { true } else { false } }
}
