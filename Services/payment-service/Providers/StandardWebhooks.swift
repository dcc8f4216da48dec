import Crypto
import Wire

/// Verifies signatures of standardwebhooks.com: HMAC-SHA256 over the id, the time and the raw body.
struct StandardWebhooks: Sendable {
    private let key: HMACSHA256

    /// The largest difference between a signature's time and ours, in both directions.
    static let tolerance = Duration.seconds(300)

    /// - Parameter secret: Base64, with or without the prefix `whsec_`. Any other text gives nil.
    init?(secret: String) {
        let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst("whsec_".count)) : secret
        let form = Base64.Form.standard
        guard !text.isEmpty,
            let bytes = Base64.decode(text.utf8.span, form) ?? Base64.decode(text.utf8.span, .standardUnpadded)
        else { return nil }
        key = HMACSHA256(key: bytes.span)
    }

    /// Returns the id of a webhook after checking its signature and time.
    func verifiedID(of webhook: Webhook) throws(Webhook.Refusal) -> String {
        guard let id = webhook.headers["webhook-id"], !id.isEmpty,
            let time = webhook.headers["webhook-timestamp"],
            let signatures = webhook.headers["webhook-signature"]
        else { throw .unsigned }
        guard let seconds = Int64(time), time.utf8.allSatisfy(\.isDigit) else { throw .malformed }
        let signedAt = Timestamp(seconds: seconds)
        if signedAt < webhook.receivedAt - Self.tolerance { throw .tooOld }
        if signedAt > webhook.receivedAt + Self.tolerance { throw .tooNew }
        let signed = Array("\(id).\(time).".utf8) + webhook.body
        let isOurs = signatures.split(separator: " ").contains { entry in
            guard entry.hasPrefix("v1,"), let code = Base64.decode(entry.dropFirst(3).utf8.span, .standard) else {
                return false
            }
            return key.isValid(code.span, for: signed.span)
        }
        guard isOurs else { throw .wrongSignature }
        return id
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
