import Contract
import Crypto
import Wire

/// Creates accounts with a password and checks passwords at login.
struct Accounts: Sendable {
    let store: AccountStore
    let passwords: Passwords

    /// The checked fields of a join.
    struct NewAccount: Sendable {
        let email: EmailAddress
        let password: String
        let nickname: String
        let phone: String?
        /// The language of mails; nil for the default.
        let language: MailLanguage?
    }

    /// Throws E98 while the queue of passwords to hash is full.
    func requireHashCapacity(for caller: Passwords.Caller) throws(Failure) {
        try passwords.requireCapacity(for: caller)
    }

    /// Throws E12 if the email has an account.
    func requireUnused(_ email: EmailAddress) async throws {
        if try await store.exists(email) { throw Failure.duplicate("An account with this email already exists.") }
    }

    /// Creates an account with a password.
    func join(_ new: NewAccount) async throws -> Account {
        try await requireUnused(new.email)
        let hash = try await passwords.hash(new.password, for: .join)
        let account = try await store.insert(
            new.email, nickname: new.nickname, phone: new.phone, passwordHash: hash, language: new.language,
            at: .now)
        guard let account else { throw Failure.duplicate("An account with this email already exists.") }
        return account
    }

    /// The account of a right password.
    struct SignIn: Sendable {
        let account: Account
        /// The version of its password; a session opens only while it is the present one.
        let credentials: Int64
    }

    /// Returns the account of an email if the password is right. An unknown email takes the same time and gets the same
    /// error as a wrong password.
    func logIn(_ email: EmailAddress?, password: String, isKnownPair: Bool) async throws -> SignIn {
        let caller = isKnownPair ? Passwords.Caller.knownPair : .unknownPair
        var found: AccountStore.AccountWithPassword?
        if let email { found = try await store.find(email) }
        let verdict = try await passwords.verify(password, against: found?.passwordHash, for: caller)
        guard let found, case .right(let needsRehash) = verdict else {
            throw Self.wrongPassword
        }
        if needsRehash {
            let hash = try await passwords.hash(password, for: .knownPair)
            try await store.setPasswordHash(hash, of: found.account.id, at: found.credentials)
        }
        return SignIn(account: found.account, credentials: found.credentials)
    }

    /// Thrown only after the password or the provider has confirmed the user, so that nobody else learns it.
    static let disabled = Failure(.unknownAccount, "The account is disabled.")
    static let wrongPassword = Failure(.unknownAccount, "The email or the password is wrong.")
}
