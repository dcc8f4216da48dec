internal import Crypto
internal import HTTP

/// A secret that callers of the internal port show as `Authorization: Bearer`.
struct BearerCredential: Sendable {
    /// Empty for none: then no caller is let in.
    let secret: [UInt8]

    init(_ secret: Secret) { self.secret = Array(secret.revealed.utf8) }

    /// Whether the request shows the secret, compared in constant time.
    func isShown(by request: Request) -> Bool {
        let bearer = Array("Bearer ".utf8)
        let header = request.headers[.authorization] ?? []
        guard !secret.isEmpty, header.starts(with: bearer) else { return false }
        let shown = header.dropFirst(bearer.count)
        return ConstantTime.areEqual(shown.span, secret.span)
    }
}
