import Contract
import ServiceKit
import Wire

/// A change of a profile; nil fields stay as they are.
struct ProfileChange: Sendable {
    var nickname: String?
    /// The inner nil removes the phone number.
    var phone: String??
    var profileImage: String?
    /// The language of mails.
    var language: MailLanguage?

    var isEmpty: Bool { nickname == nil && phone == nil && profileImage == nil && language == nil }
}

/// Reads and changes profiles, and publishes changes to the other services.
struct Profiles: Sendable {
    let store: AccountStore
    let facts: AccountFactPublisher
    let workspaces: WorkspaceClient

    /// Returns another user's account if the viewer shares a workspace with them.
    func account(of user: UserID, for viewer: UserID) async throws -> Account {
        if user != viewer, try await workspaces.acquaintances(of: viewer, among: [user]).isEmpty {
            throw Failure.notFound
        }
        guard let account = try await store.find(user) else { throw Failure.notFound }
        return account
    }

    /// Changes a profile and returns the account. An empty change publishes nothing.
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
