public import Contract
public import Crypto
public import Wire

extension AuthClient: TokenAuthority {
    public func keys() async throws -> VerificationKeySet { try VerificationKeySet(jwks: try await keySet()) }

    public func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) {
        let page = try await revocationPage(since: since)
        return (page.revocations, page.now)
    }
}
