import ServiceSupport
import Synchronization
import TestSupport
import Wire

/// Sends messages one after the other, repeats each with its `client_id` until it is acknowledged, and logs the
/// acknowledged messages.
final class PersistentSender: Sendable {
    struct Acknowledged: Sendable, Hashable {
        let name: String
        let channel: Int64
        let seq: Int64
        let id: String
    }

    private struct State {
        var log: [Acknowledged] = []
        var refusals = 0
        var isOver = false
    }

    private let state = Mutex(State())
    private let user: Int64

    init(_ user: Int64) { self.user = user }

    var log: [Acknowledged] { state.withLock(\.log) }
    /// Failed attempts.
    var refusals: Int { state.withLock(\.refusals) }

    /// Stops after the current message.
    func end() { state.withLock { $0.isOver = true } }

    /// Sends until `end`, or until the task is cancelled.
    func run(_ process: ChatProcess) async {
        var number = 0
        while !state.withLock(\.isOver), !Task.isCancelled {
            let (name, channel) = ("\(user)-\(number)", Int64(7 + number % 2))
            await sendUntilAcknowledged(process, name, channel)
            number += 1
        }
    }

    private func sendUntilAcknowledged(_ process: ChatProcess, _ name: String, _ channel: Int64) async {
        while !Task.isCancelled {
            if let reply = try? await process.send("text of \(name)", user: user, to: channel, clientID: name),
                reply.status == 201, let json = try? reply.json, let seq = json["seq"]?.int,
                let id = json["chat_id"]?.string
            {
                let entry = Acknowledged(name: name, channel: channel, seq: Int64(seq), id: id)
                return state.withLock { $0.log.append(entry) }
            }
            state.withLock { $0.refusals += 1 }
            try? await pause(for: .milliseconds(20))
        }
    }
}
