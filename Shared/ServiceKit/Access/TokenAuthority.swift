public import Contract
public import Crypto
public import Wire

/// Who issues tokens and revokes sessions: auth-service, near or far.
public protocol TokenAuthority: Sendable {
    /// The keys of all tokens that may still live.
    func keys() async throws -> VerificationKeySet
    /// What has been revoked since a moment by the authority's own clock, oldest first, and up to when that is all of it:
    /// its clock now, or the millisecond after the last one's where there may be more.
    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp)
}
