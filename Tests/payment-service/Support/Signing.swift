import Crypto
import Wire

@testable import payment_service

/// Signs webhooks as PortOne V2 does.
enum Signing {
    static func headers(id: String, body: String, secret: String, at time: Timestamp = .now) -> [String: String] {
        let key = Base64.decode(secret.replacing("whsec_", with: "").utf8.span, .standard)!
        let signed = Array("\(id).\(time.seconds).\(body)".utf8)
        let code = HMACSHA256(key: key.span).code(for: signed.span)
        return [
            "webhook-id": id, "webhook-timestamp": "\(time.seconds)",
            "webhook-signature": "v1," + Base64.encode(code.span, .standard),
        ]
    }

    static func webhook(id: String, body: String, secret: String) -> Webhook {
        Webhook(headers: headers(id: id, body: body, secret: secret), body: Array(body.utf8), receivedAt: .now)
    }
}
