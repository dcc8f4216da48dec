/// An API key and how its client apps speak; an object, because every call holds it.
public final class ClientKey: Sendable {
    /// As clients send it; empty for a call that needs none.
    public let text: String
    public let profile: ClientProfile
    let bytes: [UInt8]

    init(_ text: String, _ profile: ClientProfile) {
        self.text = text
        self.profile = profile
        bytes = Array(text.utf8)
    }

    /// That of calls that come from no client app.
    public static let none = ClientKey("", .ofNobody)
}
