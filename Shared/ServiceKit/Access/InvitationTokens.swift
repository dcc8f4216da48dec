internal import Crypto
internal import Wire

/// Computes the tokens of invitations from random seeds, with a key that only the services have.
///
/// workspace-service stores seeds and hashes, and auth-service writes tokens into mails. Neither database reveals a token.
public struct InvitationTokens: Sendable {
    private let key: HMACSHA256

    /// - Parameter credential: the secret of the services; the key is derived from it.
    public init(credential: String) {
        let derived = HMACSHA256(key: Array(credential.utf8).span).code(for: Array("invitations 1".utf8).span)
        key = HMACSHA256(key: derived.span)
    }

    /// The token of a seed: 43 characters that need no escape in a URL.
    public func token(of seed: [UInt8]) -> String { Base64.encode(key.code(for: seed.span).span, .url) }

    /// The hash that a token is found by.
    public func hash(of token: String) -> [UInt8] { SHA256.digest(of: Array(token.utf8).span) }
}
