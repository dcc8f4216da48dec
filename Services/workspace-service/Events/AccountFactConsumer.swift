import Contract
import ServiceKit

/// Erases the data of deleted accounts and reports it to auth-service, and writes sign-ins into the audit logs. A fact that is
/// repeated changes nothing.
struct AccountFactConsumer: Sendable {
    let erasure: MemberErasure
    let audit: AuditLog
    let auth: AuthClient

    func handle(_ fact: AccountFact) async throws {
        switch fact {
        case .userChanged: return
        case .userDeleted(let deletion):
            try await erasure.erase(deletion.user)
            try await auth.erased(deletion, by: .workspace)
        case .signedIn(let signIn):
            try await audit.record(signIn)
        }
    }
}
