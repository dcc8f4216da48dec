import Contract
import Postgres
import ServiceKit
import Wire

/// Verifies addresses, and changes passwords and addresses. Every change ends sessions and tells the owner by mail.
struct Credentials: Sendable {
    let store: CredentialStore
    let accounts: Accounts
    let codes: Codes
    let mails: MailOutbox
    let sessions: Sessions
    let factors: SecondFactors
    let facts: AccountFactPublisher
    let throttle: LoginThrottle

    // MARK: Verification

    /// Sends a code to the account's own address, or to one that it wants to change to.
    func sendCode(to email: EmailAddress, for account: UserID, language: MailLanguage?) async throws {
        let purpose = try await purpose(of: email, for: account)
        try await codes.send(purpose, to: email, for: account, language: language)
    }

    /// Verifies the account's present address with the code that was sent there.
    func verify(_ email: EmailAddress, of account: UserID, code: String) async throws {
        let code = try await codes.check(code, .verification, at: email, of: account)
        try await facts.outbox.transaction { tx in
            guard try await codes.store.use(code, at: .now, in: tx),
                try await store.verify(email, of: account, in: tx)
            else { throw Codes.refused }
        }
    }

    private func purpose(of email: EmailAddress, for account: UserID) async throws -> CodePurpose {
        guard let own = try await accounts.store.find(account) else { throw Failure.notFound }
        return (try? EmailAddress(own.email).key) == email.key ? .verification : .address
    }

    // MARK: Password

    /// Sends a code for a reset. Calls from networks that the owner has not logged in from are counted apart, so that
    /// strangers keep nobody from a reset at home.
    func requestReset(_ email: EmailAddress, from address: String, language: MailLanguage?) async throws {
        let isKnown = await throttle.knows(email, from: address)
        try await codes.send(.reset, to: email, for: nil, language: language, isKnownNetwork: isKnown)
    }

    /// Sets the password of the account of an address with the code that was sent there, and ends all its sessions. If nobody had
    /// verified the address, its maker may be a stranger: a second factor from before would keep the owner out.
    func reset(_ email: EmailAddress, code: String, password: String, from address: String) async throws {
        try accounts.requireHashCapacity(for: .join)
        let isKnown = await throttle.knows(email, from: address)
        let code = try await codes.check(code, .reset, at: email, of: nil, isKnownNetwork: isKnown)
        let hash = try await accounts.passwords.hash(password, for: .join)
        let now = Timestamp.now
        let (account, ended) = try await facts.outbox.transaction { tx in
            // The account's row comes first: its lock keeps logins with the old password from opening a session.
            guard let (account, wasVerified) = try await store.reset(email, passwordHash: hash, in: tx),
                try await codes.store.use(code, at: now, in: tx)
            else { throw Codes.refused }
            if !wasVerified { try await factors.removeUnproved(of: account, in: tx) }
            try await mails.notify(account, .passwordReset, in: tx)
            return (account, try await sessions.revokeAll(of: account, at: now, in: tx))
        }
        sessions.publish(ended, of: account, at: now)
        mails.wake()
    }

    /// Replaces the caller's password and ends the caller's other sessions.
    func changePassword(of caller: Caller, from address: String, password: String, to new: String) async throws {
        let (account, credentials) = try await confirm(caller.user, from: address, password: password)
        let hash = try await accounts.passwords.hash(new, for: .knownPair)
        let now = Timestamp.now
        let ended = try await facts.outbox.transaction { tx in
            guard
                try await store.changePassword(of: account.id, at: credentials, passwordHash: hash, in: tx)
            else { throw Self.changedMeanwhile }
            try await mails.notify(account.id, .passwordChanged, in: tx)
            return try await sessions.revokeAll(of: account.id, except: caller.session, at: now, in: tx)
        }
        sessions.publish(ended, of: account.id, at: now)
        mails.wake()
    }

    // MARK: Address

    /// Changes the caller's address with the code that was sent to the new one, and ends the caller's other sessions.
    /// Both addresses get a mail.
    func changeEmail(
        of caller: Caller, from address: String, password: String, to email: EmailAddress, code: String
    ) async throws -> Account {
        try mails.requireSetUp()
        let (old, credentials) = try await confirm(caller.user, from: address, password: password)
        let code = try await codes.check(code, .address, at: email, of: caller.user)
        let now = Timestamp.now
        let (account, ended) = try await facts.outbox.transaction { tx in
            guard try await codes.store.use(code, at: now, in: tx) else { throw Codes.refused }
            let changed = try await store.changeEmail(of: old.id, at: credentials, to: email, in: tx)
            guard let changed else { throw Failure.duplicate("An account with this email already exists.") }
            try await mails.notify(old.id, .addressChanged, detail: email.text, at: old.email, in: tx)
            try await mails.notify(old.id, .addressChanged, detail: email.text, in: tx)
            try await facts.changed(changed, in: tx)
            return (changed, try await sessions.revokeAll(of: old.id, except: caller.session, at: now, in: tx))
        }
        facts.hint(account)
        sessions.publish(ended, of: account.id, at: now)
        mails.wake()
        return account
    }

    // MARK: Confirmation

    /// Checks the password of a signed-in account. Wrong ones delay further attempts as they do at a login, so that a
    /// stolen session is no way to guess.
    func confirm(
        _ user: UserID, from address: String, password: String
    ) async throws -> (account: Account, credentials: Int64) {
        guard let account = try await accounts.store.find(user) else { throw Failure.notFound }
        let email = try? EmailAddress(account.email)
        return try await throttle.attempt(email, from: address) { isKnownPair in
            let signIn = try await accounts.logIn(email, password: password, isKnownPair: isKnownPair)
            guard signIn.account.id == user else { throw Self.changedMeanwhile }
            return (signIn.account, signIn.credentials)
        }
    }

    private static let changedMeanwhile = Failure(.refused, "The account has changed meanwhile. Try again.")
}
