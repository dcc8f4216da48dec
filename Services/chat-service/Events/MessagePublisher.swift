import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Telemetry
import Wire

/// Publishes committed messages: each one on its room's channel, and all of them on the stream of pushes.
///
/// No sender waits for it. If Redis or this process fails meanwhile, the outbox still has the messages and its relay
/// publishes them. A gateway drops messages that it has already.
struct MessagePublisher: Sendable {
    let redis: Redis
    let outbox: OutboxStore
    let sent: Counter

    /// Publishes the messages that `result` lists as written, in a task on `loop`.
    func publish(_ pending: [PendingMessage], _ result: MessageWriter.Result, on loop: EventLoop) {
        let messages = zip(pending, result.outcomes).compactMap { pending, outcome in
            if case .written(let written) = outcome { pending.committed(as: written) } else { nil }
        }
        guard let row = result.outboxRow, !messages.isEmpty else { return }
        sent.increment(by: UInt64(messages.count))
        let commands = Self.commands(publishing: messages)
        Task.immediate(executorPreference: loop) {
            let outcomes = await redis.runInBatches(commands)
            guard let entry = try? outcomes.last?.get().text, outcomes.allSatisfy(\.isSuccess) else { return }
            outbox.markPublished(row, entry)
        }
    }

    /// The commands that publish messages on their rooms' channels, and then append them to the stream of pushes, as
    /// many in an entry as fit.
    static func commands(publishing messages: [RoomMessage]) -> [RedisCommand] {
        var commands: [RedisCommand] = []
        var entries: [RedisCommand] = []
        var entry = PushEntry()
        for message in messages {
            commands.append(.publish(RoomEvent.message(message).encoded(), in: message.room))
            // A message that was deleted before its publishing notifies nobody.
            if message.body.isDeleted { continue }
            entry.add(message)
            guard entry.isFull else { continue }
            entries.append(entry.command)
            entry = PushEntry()
        }
        if !entry.isEmpty { entries.append(entry.command) }
        // The outbox needs the id of an entry.
        if entries.isEmpty { entries.append(PushEntry.withoutMessages) }
        return commands + entries
    }
}

extension Result {
    var isSuccess: Bool { if case .success = self { true } else { false } }
}
