import Contract
import Crypto
import ServiceKit
import Wire

/// Answers token checks of this service, which owns the keys and sessions, from its own database.
struct LocalAuthority: TokenAuthority {
    let signingKeys: SigningKeys
    let sessions: SessionStore
    let bots: BotTokenStore

    private static let pageLength = 10_000

    /// Reads the keys again: another instance may have made a key since and signed the caller's token with it.
    func keys() async throws -> VerificationKeySet {
        try await signingKeys.refresh()
        return signingKeys.published
    }

    func bot(of hash: [UInt8]) async throws -> BotIdentity? { try await bots.use(hash, at: .now) }

    /// Returns one page of revocations, and the moment from which to ask for the next ones.
    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) {
        let now = Timestamp.now
        let page = try await sessions.revocations(since: since, limit: Self.pageLength)
        guard page.count >= Self.pageLength, let last = page.last else { return (page, now) }
        return (page, last.at + .milliseconds(1))
    }
}
