import Contract
import ServiceKit
import Wire

/// What is to be changed in a profile; nil stays as it is.
struct ProfileChange: Sendable {
    var nickname: String?
    /// The inner nil takes the phone number away.
    var phone: String??
    var profileImage: String?
}

/// Changes profiles and tells the others.
struct Profiles: Sendable {
    let store: AccountStore
    let facts: AccountFacts

    /// The account after the change.
    func change(_ user: UserID, _ change: ProfileChange) async throws -> Account {
        let account = try await facts.outbox.transaction { tx in
            guard let account = try await store.change(user, change, in: tx) else { throw Failure.notFound }
            try await facts.changed(account, in: tx)
            return account
        }
        facts.hint(account)
        return account
    }
}
