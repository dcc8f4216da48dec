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
        try await database.transaction(attempts: 3) { tx in
            if let known = try await store.find(person.provider, subject: person.subject, in: tx) { return known }
            let account = try await linkedByEmail(person, in: tx)
            let owner = if let account { account } else { try await make(person, in: tx) }
            try await store.link(person.provider, subject: person.subject, to: owner.id, at: .now, in: tx)
            // Another request may have linked the person at the same time: the first link holds.
            return try await store.find(person.provider, subject: person.subject, in: tx) ?? owner
        }
    }

    private func linkedByEmail(_ person: SocialPerson, in tx: PostgresTransaction) async throws -> Account? {
        guard let email = person.verifiedEmail.flatMap({ try? EmailAddress($0) }),
            let known = try await store.findVerified(email, in: tx)
        else { return nil }
        // Whoever made the account may not be the email's owner.
        guard known.isVerified else { throw Failure.duplicate("The email has an account.") }
        return known.account
    }

    private func make(_ person: SocialPerson, in tx: PostgresTransaction) async throws -> Account {
        let unique = Hexadecimal.encode(SecureRandom.bytes(8).span)
        let verified = person.verifiedEmail.flatMap { try? EmailAddress($0) }
        let email = try verified ?? EmailAddress("\(person.provider.rawValue)-\(unique)@\(Self.nowhere)")
        let nickname = person.nickname.flatMap { try? ProfileRules.nickname($0) } ?? "사용자\(unique.prefix(6))"
        let account = try await store.insert(
            email, isVerified: verified != nil, nickname: nickname, provider: person.provider, at: .now, in: tx)
        guard let account else { throw Failure.duplicate("The email has an account.") }
        return account
    }
}
