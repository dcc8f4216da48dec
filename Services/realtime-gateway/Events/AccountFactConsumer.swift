import Contract
import ServiceKit

/// Erases the pushes of deleted accounts and reports it to auth-service. A fact that is repeated changes nothing.
struct AccountFactConsumer: Sendable {
    let pushes: PushStore
    let auth: AuthClient

    func handle(_ fact: AccountFact) async throws {
        guard case .userDeleted(let deletion) = fact else { return }
        try await pushes.erase(deletion.user)
        try await auth.erased(deletion, by: .realtime)
    }
}
