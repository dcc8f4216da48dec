import Contract
import ServiceKit

/// Erases the data of deleted accounts and reports it to auth-service, writes sign-ins and exports into the audit logs, and applies the
/// rules about second factors. A fact that is repeated changes nothing.
struct AccountFactConsumer: Sendable {
    let erasure: MemberErasure
    let audit: AuditLog
    let secondFactors: SecondFactorRule
    let auth: AuthClient

    func handle(_ fact: AccountFact) async throws {
        switch fact {
        case .userChanged: return
        case .userDeleted(let deletion):
            let addresses = try await auth.addresses(ofDeleted: deletion.user)
            try await erasure.erase(deletion.user, invitedAt: addresses)
            try await auth.erased(deletion, by: .workspace)
        case .signedIn(let act):
            try await audit.signedIn(act)
        case .exportRequested(let act):
            try await audit.exported(act)
        case .secondFactorChanged(let change):
            try await secondFactors.note(change)
        }
    }
}
