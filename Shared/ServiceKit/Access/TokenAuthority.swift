public import Contract
public import Crypto
public import Wire

/// The issuer of tokens: auth-service itself, or its internal API.
public protocol TokenAuthority: Sendable {
    /// The public keys of all tokens that have not expired.
    func keys() async throws -> VerificationKeySet
    /// A page of the revocations since a time of the authority's clock, oldest first, and the time up to which the page is
    /// complete: the authority's time now, or, if more may follow, the millisecond after the last revocation.
    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp)
    /// The bot of a token, by the digest of its secret; nil if there is none, or it has ended.
    func bot(of hash: [UInt8]) async throws -> BotIdentity?
}
