import Contract
import Crypto
import Wire

/// Makes accounts and lets their owners in.
struct Accounts: Sendable {
    let store: AccountStore
    let passwords: Passwords

    /// What a person gives to join.
    struct Application: Sendable {
        let email: EmailAddress
        let password: String
        let nickname: String
        let phone: String?
    }

    /// Throws where nobody can be let in or join at present.
    func requireRoom() throws(Failure) { try passwords.requireRoom() }

    func requireFree(_ email: EmailAddress) async throws {
        if try await store.exists(email) { throw Failure.duplicate("The email has an account.") }
    }

    /// A new account with a password.
    func join(_ application: Application) async throws -> Account {
        try await requireFree(application.email)
        let hash = try await passwords.hash(application.password)
        let account = try await store.insert(
            application.email, nickname: application.nickname, phone: application.phone, passwordHash: hash, at: .now)
        guard let account else { throw Failure.duplicate("The email has an account.") }
        return account
    }

    /// The account of an email and its password. An unknown email costs the same time and gets the same words.
    func logIn(_ email: EmailAddress?, password: String) async throws -> Account {
        var found: AccountStore.Secret?
        if let email { found = try await store.find(email) }
        let verdict = try await passwords.verify(password, against: found?.passwordHash)
        guard let found, case .right(let needsRehash) = verdict else {
            throw Failure(.unknownAccount, "Email or password is wrong.")
        }
        if needsRehash {
            try await store.setPasswordHash(try await passwords.hash(password), of: found.account.id)
        }
        return found.account
    }
}
