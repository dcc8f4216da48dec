import ServiceKit
import Testing

@testable import chat_service

@Suite("The address of the product from outside")
struct PublicURLTests {
    private static func address(_ text: String) throws -> String {
        try PublicURL(Config(PublicURL.settings, file: "public_url = \(text)")).address(of: "/webhooks/incoming/a")
    }

    @Test(
        "Addresses begin with the public URL, and without one they begin after /v1",
        arguments: [
            ("", "/webhooks/incoming/a"),
            ("https://chat.example.com", "https://chat.example.com/v1/webhooks/incoming/a"),
            ("http://10.0.0.1:8080/", "http://10.0.0.1:8080/v1/webhooks/incoming/a"),
            ("https://example.com/chat//", "https://example.com/chat/v1/webhooks/incoming/a"),
        ])
    func addresses(_ setting: String, _ expected: String) throws {
        #expect(try Self.address(setting) == expected)
    }

    @Test(
        "Any other text keeps the service from starting",
        arguments: [
            "chat.example.com", "ftp://chat.example.com", "https://", "https://a.example?b=c", "https://a.example/#b",
            "/",
        ])
    func refusals(_ setting: String) {
        #expect(throws: ConfigError.self) { try Self.address(setting) }
    }
}
