import Contract
import ServiceKit

/// Hands deleted accounts over to `UserErasure`, which reports to auth-service at its end. auth-service repeats the fact
/// until then, so that a crash loses no erasure.
struct AccountFactConsumer: Sendable {
    let erasure: UserErasure

    func handle(_ fact: AccountFact) async throws {
        guard case .userDeleted(let deletion) = fact else { return }
        erasure.begin(deletion)
    }
}
