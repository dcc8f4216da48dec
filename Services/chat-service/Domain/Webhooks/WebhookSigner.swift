import Crypto
import Wire

/// Signs calls to receivers as standardwebhooks.com says: HMAC-SHA256 over id, time and body.
///
/// The database has seeds of the secrets. The secrets are computed with a key that only the service has.
struct WebhookSigner: Sendable {
    private let key: HMACSHA256

    /// - Parameter text: the setting `webhook_key`, or the secret of the services.
    init(key text: String) {
        let derived = HMACSHA256(key: Array(text.utf8).span).code(for: Array("webhooks 1".utf8).span)
        key = HMACSHA256(key: derived.span)
    }

    /// A fresh seed.
    static func seed() -> [UInt8] { SecureRandom.bytes(32) }

    /// The secret of a seed as its receiver stores it.
    func secret(of seed: [UInt8]) -> String { "whsec_" + Base64.encode(key.code(for: seed.span).span, .standard) }

    /// The header `webhook-signature`: a signature with the secret, and one with the old secret until its time.
    ///
    /// - Parameter time: seconds since 1970, as in the header `webhook-timestamp`.
    func signature(of body: [UInt8], id: String, time: Int64, by seeds: WebhookSeeds, now: Timestamp) -> String {
        let signed = Array("\(id).\(time).".utf8) + body
        var valid = [seeds.current]
        if let old = seeds.old, old.until > now { valid.append(old.bytes) }
        return valid.map { seed in
            let code = HMACSHA256(key: key.code(for: seed.span).span).code(for: signed.span)
            return "v1," + Base64.encode(code.span, .standard)
        }.joined(separator: " ")
    }
}
