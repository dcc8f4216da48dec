import Contract
import Crypto
import Postgres
import Wire

/// Finds or creates the account of a user that a provider has identified.
struct SocialAccounts: Sendable {
    let store: AccountStore
    let identities: IdentityStore

    /// A reserved domain without mail (RFC 2606), for accounts of a provider that gives no email.
    private static let reservedDomain = "users.invalid"

    /// Returns the account linked to the identity, else the account of the same verified email, else a new account.
    ///
    /// - Parameter language: the language of mails to a new account.
    func account(of identity: SocialIdentity, language: MailLanguage?) async throws -> Account {
        let (source, subject) = (identity.source, identity.subject)
        if let known = try await identities.find(source, subject: subject) { return known }
        return try await store.transaction(attempts: 3) { tx in
            // The lock gives concurrent first sign-ins of one user the same account.
            try await identities.lock(source, subject: subject, in: tx)
            if let known = try await identities.find(source, subject: subject, in: tx) { return known }
            let account = try await linkableAccount(of: identity, language, in: tx)
            try await identities.link(source, subject: subject, to: account.id, at: .now, in: tx)
            return account
        }
    }

    private func linkableAccount(
        of identity: SocialIdentity, _ language: MailLanguage?, in tx: PostgresTransaction
    ) async throws -> Account {
        if let account = try await accountOfVerifiedEmail(identity, in: tx) { return account }
        if let account = try await create(identity, language, in: tx) { return account }
        // A concurrent call has taken the email, perhaps of the same user with another provider.
        if let account = try await accountOfVerifiedEmail(identity, in: tx) { return account }
        // An address that is not ASCII is never linked: the second user with it gets an account without it.
        guard identity.linkableEmail == nil,
            let account = try await create(identity.withoutEmail, language, in: tx)
        else {
            throw Failure.duplicate("An account with this email already exists.")
        }
        return account
    }

    private func accountOfVerifiedEmail(_ identity: SocialIdentity, in tx: PostgresTransaction) async throws -> Account?
    {
        guard let email = identity.linkableEmail,
            let known = try await store.findVerified(email, in: tx)
        else { return nil }
        // Its maker may not own the email.
        guard known.isVerified else { throw Failure.duplicate("An account with this email already exists.") }
        return known.account
    }

    /// Creates an account; nil if the email already has one.
    private func create(
        _ identity: SocialIdentity, _ language: MailLanguage?, in tx: PostgresTransaction
    ) async throws -> Account? {
        let unique = Hexadecimal.encode(SecureRandom.bytes(8).span)
        let verified = identity.verifiedEmail.flatMap { try? EmailAddress($0) }
        let email =
            try verified
            ?? EmailAddress("\(identity.source.provider?.rawValue ?? "oidc")-\(unique)@\(Self.reservedDomain)")
        let nickname = identity.nickname.flatMap { try? ProfileRules.nickname($0) } ?? "사용자\(unique.prefix(6))"
        return try await store.insert(
            email, isVerified: verified != nil, nickname: nickname, provider: identity.source.provider,
            language: language, at: .now, in: tx)
    }
}
