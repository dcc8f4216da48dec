import Contract
import Crypto
import ServiceKit
import Wire

/// The word of this service about its own tokens.
struct LocalAuthority: TokenAuthority {
    let signingKeys: SigningKeys
    let sessions: SessionStore

    private static let pageLength = 10_000

    /// Read anew, because who asks may have met a token that another instance has signed with a key made since.
    func keys() async throws -> VerificationKeySet {
        try await signingKeys.refresh()
        return signingKeys.published
    }

    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) {
        let now = Timestamp.now
        let page = try await sessions.revocations(since: since, limit: Self.pageLength)
        guard page.count >= Self.pageLength, let last = page.last else { return (page, now) }
        return (page, last.at + .milliseconds(1))
    }
}
