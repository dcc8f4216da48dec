import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Tells gateways of committed messages: each once on its room's channel, and all of them on the stream of pushes.
///
/// Nobody waits for it. What is not told, because Redis or this process fails in between, stands in the outbox,
/// whose relay tells it; a gateway drops what it has.
struct Announcer: Sendable {
    let redis: Redis
    let outbox: OutboxStore

    /// Bytes of messages at which an entry of the stream is full.
    private static let largestEntry = 32 << 10

    /// Tells of what `result` says was written.
    func announce(_ pending: [PendingMessage], _ result: MessageWriter.Result) {
        let messages = zip(pending, result.outcomes).compactMap { pending, outcome in
            if case .written(let written) = outcome { pending.committed(as: written) } else { nil }
        }
        guard let row = result.outboxRow, !messages.isEmpty, let loop = EventLoop.current else { return }
        let commands = Self.telling(messages)
        Task.immediate(executorPreference: loop) {
            let outcomes = await redis.run(inTurn: commands)
            guard let entry = try? outcomes.last?.get().text, outcomes.allSatisfy(\.isSuccess) else { return }
            outbox.markPublished(row, entry)
        }
    }

    /// What tells messages: each on its room's channel, and behind that all as pushes, as many in an entry as fit.
    static func telling(_ messages: [RoomMessage]) -> [RedisCommand] {
        var commands: [RedisCommand] = []
        var entries: [RedisCommand] = []
        var fields: [(name: String, value: any RedisArgument)] = []
        var size = 0
        for message in messages {
            let encoded = RoomEvent.message(message).encoded()
            commands.append(RedisCommand("PUBLISH", RoomEvent.channel(of: message.room), encoded))
            fields += [("id", "\(message.room):\(message.body.seq)"), ("body", encoded)]
            size += encoded.count
            guard size >= largestEntry else { continue }
            entries.append(.append(fields, toStream: .pushes))
            (fields, size) = ([], 0)
        }
        if !fields.isEmpty { entries.append(.append(fields, toStream: .pushes)) }
        return commands + entries
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
