/// An API key and the profile of its client apps. It is a class because every call holds a reference to it.
public final class ClientKey: Sendable {
    /// The key as clients send it; empty for a call that needs none.
    public let text: String
    public let profile: ClientProfile
    let bytes: [UInt8]

    init(_ text: String, _ profile: ClientProfile) {
        self.text = text
        self.profile = profile
        bytes = Array(text.utf8)
    }

    /// The key of calls that come from no client app.
    public static let none = ClientKey("", .ofNobody)
}
