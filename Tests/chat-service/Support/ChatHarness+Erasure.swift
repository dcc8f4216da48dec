import ServiceSupport
import Synchronization
import TestSupport

extension ChatHarness {
    /// Publishes the fact of the deletion of an account.
    func announceDeletion(of user: Int, round: Int = 1, messages: Bool) async throws {
        let body = #"{"user_id":"\#(user)","round":\#(round),"messages":\#(messages)}"#
        try await redis.command("XADD", "facts:auth", "*", "id", "\(round)", "type", "user.deleted", "body", body)
    }

    /// Publishes the fact of a deletion, again and again as auth-service does, until the report of its erasure.
    func erase(_ user: Int, round: Int = 1, messages: Bool) async throws {
        let checks = Mutex(0)
        try await eventually(within: .seconds(60), "the report of round \(round)") {
            // An erasure that fails on a busy machine waits for the next fact.
            let check = checks.withLock {
                $0 += 1
                return $0
            }
            if check % 500 == 1 { try await announceDeletion(of: user, round: round, messages: messages) }
            return peers.now.erased.contains("\(user) \(round)")
        }
    }
}
