import Contract
import Crypto
import Wire

/// Sign in with Apple: verifies identity tokens with Apple's published keys.
struct Apple: Sendable {
    let keys: ProviderKeys
    /// Our apps' bundle and service ids; empty if Apple is not set up.
    let clientIDs: Set<String>
    let nonces: NonceStore

    /// Bytes.
    static let longestToken = JWTVerifier.defaultMaximumLength

    /// Bytes.
    private static let longestSubject = 255
    private static let issuer = "https://appleid.apple.com"
    private static let leeway = Duration.seconds(60)

    /// Verifies an identity token and returns the user that it identifies.
    ///
    /// - Parameter nickname: the name that Apple gave the client at the first sign-in.
    func identity(of token: String, nickname: String?) async throws -> SocialIdentity {
        guard !clientIDs.isEmpty else { throw Failure.unavailable }
        let claims = try await claims(of: Array(token.utf8))
        guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= Self.longestSubject else {
            throw Self.refused
        }
        // Without a nonce the token itself is used up.
        try await useUp(claims["nonce"]?.string ?? token, expiry: claims["exp"]?.int)
        let isVerified = claims["email_verified"]?.bool ?? (claims["email_verified"]?.string == "true")
        return SocialIdentity(
            source: .provider(.apple), subject: subject, verifiedEmail: isVerified ? claims["email"]?.string : nil,
            nickname: nickname)
    }

    /// The id of our app that a verified token is for.
    static func audience(of token: String) -> String? {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let payload = Base64.decode(parts[1].utf8.span, .url) else { return nil }
        return (try? JSONValue(parsing: payload))?["aud"]?.string
    }

    private func claims(of token: [UInt8]) async throws -> JSONValue {
        try await keys.claims(or: Self.refused) { keys throws(JWTError) in
            let verifier = JWTVerifier(
                keys: keys, issuer: Self.issuer, audiences: clientIDs, type: .generic, leeway: Self.leeway)
            return try verifier.verify(token.span, now: .now)
        }
    }

    /// Uses up a nonce: it is valid once while its token is valid.
    private func useUp(_ nonce: String, expiry: Int?) async throws {
        let end = Timestamp(seconds: Int64(expiry ?? 0)) + Self.leeway
        let isFirst = try await nonces.use(SHA256.digest(of: nonce.utf8.span), until: end, at: .now)
        if !isFirst { throw Self.refused }
    }

    private static let refused = Failure(.unknownAccount, "The identity token is not valid.")
}
