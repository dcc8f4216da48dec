import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Tells gateways of committed messages: each once on its room's channel, and once on the stream of pushes.
///
/// Nobody waits for it. What is not told, because Redis or this process fails in between, stands in the outbox,
/// whose relay tells it; a gateway drops what it has.
struct Announcer: Sendable {
    let redis: Redis
    let outbox: OutboxStore

    /// Tells of what `result` says was written.
    func announce(_ drafts: [Draft], _ result: MessageWriter.Result) {
        var commands: [RedisCommand] = []
        for (draft, outcome) in zip(drafts, result.outcomes) {
            guard case .written(let written) = outcome else { continue }
            commands += Self.telling(.message(draft.message(written)))
        }
        guard let row = result.outboxRow, !commands.isEmpty, let loop = EventLoop.current else { return }
        let told = commands
        Task.immediate(executorPreference: loop) {
            let outcomes = await redis.run(inTurn: told)
            guard let entry = try? outcomes.last?.get().text, outcomes.allSatisfy(\.isSuccess) else { return }
            outbox.noteTold(row, entry)
        }
    }

    /// What tells a message: on its room's channel first, and as a push behind it.
    static func telling(_ event: RoomEvent) -> [RedisCommand] {
        let encoded = event.encoded()
        var commands = [RedisCommand("PUBLISH", RoomEvent.channel(of: event.room), encoded)]
        if case .message(let message) = event {
            let id = "\(message.room):\(message.body.seq)"
            commands.append(.append(["id": id, "body": encoded], toStream: .pushes))
        }
        return commands
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
