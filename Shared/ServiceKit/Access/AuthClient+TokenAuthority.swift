public import Contract
public import Crypto
public import Wire

extension AuthClient: TokenAuthority {
    public func keys() async throws -> VerificationKeySet {
        try VerificationKeySet(jwks: try await get("/internal/keys"))
    }

    public func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp) {
        let json = try await get("/internal/revocations?since=\(since.milliseconds)")
        guard let now = json["now"]?.int, let elements = json["revocations"]?.elements else {
            throw Failure.unavailable
        }
        return (elements.compactMap(Revocation.init), Timestamp(milliseconds: Int64(now)))
    }
}
