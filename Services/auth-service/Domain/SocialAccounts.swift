import Contract
import Crypto
import Postgres
import Wire

/// Finds or makes the account of someone for whom a provider vouches.
struct SocialAccounts: Sendable {
    let database: PostgresPool
    let store: AccountStore

    /// Where mail is delivered to nobody (RFC 2606): for accounts whose provider tells no email.
    private static let nowhere = "users.invalid"

    /// The account linked to the person, else the one of an email that both sides have verified, else a new one.
    func account(of person: SocialPerson) async throws -> Account {
        let (provider, subject) = (person.provider, person.subject)
        if let known = try await store.find(provider, subject: subject, in: database) { return known }
        return try await database.transaction(attempts: 3) { tx in
            // Who signs in for the first time more than once at a time is made one account.
            try await store.lock(provider, subject: subject, in: tx)
            if let known = try await store.find(provider, subject: subject, in: tx) { return known }
            let owner = try await owner(person, in: tx)
            try await store.link(provider, subject: subject, to: owner.id, at: .now, in: tx)
            return owner
        }
    }

    private func owner(_ person: SocialPerson, in tx: PostgresTransaction) async throws -> Account {
        if let account = try await linkedByEmail(person, in: tx) { return account }
        if let account = try await make(person, in: tx) { return account }
        // Meanwhile somebody has taken the email: the same person by way of another provider, perhaps.
        guard let account = try await linkedByEmail(person, in: tx) else {
            throw Failure.duplicate("The email has an account.")
        }
        return account
    }

    private func linkedByEmail(_ person: SocialPerson, in tx: PostgresTransaction) async throws -> Account? {
        guard let email = person.verifiedEmail.flatMap({ try? EmailAddress($0) }),
            let known = try await store.findVerified(email, in: tx)
        else { return nil }
        // Whoever made the account may not be the email's owner.
        guard known.isVerified else { throw Failure.duplicate("The email has an account.") }
        return known.account
    }

    /// A new account; nil where the email has one.
    private func make(_ person: SocialPerson, in tx: PostgresTransaction) async throws -> Account? {
        let unique = Hexadecimal.encode(SecureRandom.bytes(8).span)
        let verified = person.verifiedEmail.flatMap { try? EmailAddress($0) }
        let email = try verified ?? EmailAddress("\(person.provider.rawValue)-\(unique)@\(Self.nowhere)")
        let nickname = person.nickname.flatMap { try? ProfileRules.nickname($0) } ?? "사용자\(unique.prefix(6))"
        return try await store.insert(
            email, isVerified: verified != nil, nickname: nickname, provider: person.provider, at: .now, in: tx)
    }
}
