import Crypto
import ServiceKit
import Wire

/// The word of this service about its own tokens.
struct LocalAuthority: TokenAuthority {
    let signingKeys: SigningKeys
    let sessions: SessionStore

    func keys() async throws -> VerificationKeySet { signingKeys.published }

    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) {
        let now = Timestamp.now
        return (try await sessions.revocations(since: since), now)
    }
}
