import Crypto
import Testing
import Wire

@testable import payment_service

@Suite("Signed webhooks")
struct StandardWebhooksTests {
    /// The example of the Standard Webhooks libraries.
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let now = Timestamp(seconds: 1_614_265_330)
    static let body = Array(#"{"test": 2432232314}"#.utf8)
    static let headers = [
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ]

    func verify(_ changes: [String: String?] = [:], body: [UInt8] = body, at now: Timestamp = now) throws -> String {
        var headers = Self.headers
        for (name, value) in changes { headers[name] = value }
        return try StandardWebhooks(secret: Self.secret)!.verifiedID(
            of: Webhook(headers: headers, body: body, receivedAt: now))
    }

    @Test("The published example verifies, with and without the secret's prefix")
    func example() throws {
        #expect(try verify() == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        let bare = StandardWebhooks(secret: String(Self.secret.dropFirst(6)))!
        #expect(
            try bare.verifiedID(of: Webhook(headers: Self.headers, body: Self.body, receivedAt: Self.now))
                == "msg_p5jXN8AQM9LWM0D4loKWxJek")
    }

    @Test("Another body, id or time breaks the signature")
    func tampering() {
        #expect(throws: Webhook.Refusal.wrongSignature) { try verify(body: Self.body + [0x20]) }
        #expect(throws: Webhook.Refusal.wrongSignature) { try verify(["webhook-id": "msg_2"]) }
        #expect(throws: Webhook.Refusal.wrongSignature) { try verify(["webhook-timestamp": "1614265331"]) }
    }

    @Test("A signature is valid 300 seconds before and after its time, and no longer")
    func tolerance() throws {
        for seconds in [-300, 300] { _ = try verify(at: Self.now + .seconds(seconds)) }
        #expect(throws: Webhook.Refusal.tooOld) { try verify(at: Self.now + .seconds(301)) }
        #expect(throws: Webhook.Refusal.tooNew) { try verify(at: Self.now - .seconds(301)) }
    }

    @Test("One valid signature among several and other versions is enough")
    func several() throws {
        let valid = Self.headers["webhook-signature"]!
        _ = try verify(["webhook-signature": "v1a,AAAA v1,AAAA= \(valid) v2,zzz"])
        #expect(throws: Webhook.Refusal.wrongSignature) {
            try verify(["webhook-signature": valid.replacing("v1,", with: "v2,")])
        }
    }

    @Test(
        "A missing header is reported as unsigned",
        arguments: ["webhook-id", "webhook-timestamp", "webhook-signature"])
    func missing(header: String) {
        #expect(throws: Webhook.Refusal.unsigned) { try verify([header: nil]) }
    }

    @Test(
        "A time that is not a number of seconds is refused",
        arguments: ["", "abc", "-1614265330", "+1614265330", "1e9"])
    func malformedTime(text: String) {
        #expect(throws: Webhook.Refusal.malformed) { try verify(["webhook-timestamp": text]) }
    }

    @Test("A secret that is not Base64 is refused", arguments: ["", "whsec_", "not base64!"])
    func secrets(text: String) {
        #expect(StandardWebhooks(secret: text) == nil)
    }
}
