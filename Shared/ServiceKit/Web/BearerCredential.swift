internal import Crypto
internal import HTTP

/// A secret that callers of the internal port show as `Authorization: Bearer`.
struct BearerCredential: Sendable {
    /// Empty for none: then every caller is refused.
    let secret: [UInt8]

    init(_ secret: Secret) { self.secret = Array(secret.revealed.utf8) }

    /// Whether the request shows the secret, compared in constant time.
    func isShown(by request: Request) -> Bool {
        guard !secret.isEmpty, let shown = request.bearer else { return false }
        return ConstantTime.areEqual(shown.span, secret.span)
    }
}

extension Request {
    /// The secret in `Authorization: Bearer`; nil if there is none.
    var bearer: ArraySlice<UInt8>? {
        let bearer = Array("Bearer ".utf8)
        let header = headers[.authorization] ?? []
        return header.starts(with: bearer) ? header.dropFirst(bearer.count) : nil
    }
}
