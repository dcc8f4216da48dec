import Contract
import ServiceKit
import Wire

/// What is to be changed in a profile; nil stays as it is.
struct ProfileChange: Sendable {
    var nickname: String?
    /// The inner nil takes the phone number away.
    var phone: String??
    var profileImage: String?

    var isEmpty: Bool { nickname == nil && phone == nil && profileImage == nil }
}

/// Changes profiles and tells the others.
struct Profiles: Sendable {
    let store: AccountStore
    let facts: AccountFactPublisher
    let workspaces: WorkspaceClient

    /// Another's account, for those who share a workspace with them.
    func account(of user: UserID, for viewer: UserID) async throws -> Account {
        if user != viewer, try await workspaces.acquaintances(of: viewer, among: [user]).isEmpty {
            throw Failure.notFound
        }
        guard let account = try await store.find(user) else { throw Failure.notFound }
        return account
    }

    /// The account after the change; one that changes nothing is told to nobody.
    func change(_ user: UserID, _ change: ProfileChange) async throws -> Account {
        if change.isEmpty {
            guard let account = try await store.find(user) else { throw Failure.notFound }
            return account
        }
        let account = try await facts.outbox.transaction { tx in
            guard let account = try await store.change(user, change, in: tx) else { throw Failure.notFound }
            try await facts.changed(account, in: tx)
            return account
        }
        facts.hint(account)
        return account
    }
}
