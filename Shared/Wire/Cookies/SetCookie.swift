/// A cookie that a reply sets (RFC 6265). Scripts cannot read it, and requests from other
/// sites do not send it.
public struct SetCookie: Hashable, Sendable {
    public let name: String
    public let value: String
    public var path = "/"
    /// nil lets the cookie end with the client's session.
    public var lifetime: Duration?
    /// Whether the cookie is sent over TLS only.
    public var isSecure = false
    /// Whether requests that begin on another site never send it, links to this site included.
    public var isStrict = false

    /// nil if the name or the value holds a character that a cookie cannot: blanks, `;`, `,`, quotes, controls,
    /// non-ASCII.
    public init?(_ name: String, _ value: String) {
        guard !name.isEmpty, name.utf8.allSatisfy({ Self.isPlain($0) && $0 != UInt8(ascii: "=") }),
            value.utf8.allSatisfy(Self.isPlain)
        else { return nil }
        self.name = name
        self.value = value
    }

    /// The value of the header `Set-Cookie`.
    public var text: String {
        var text = "\(name)=\(value); Path=\(path)"
        if let lifetime { text += "; Max-Age=\(max(0, lifetime.components.seconds))" }
        if isSecure { text += "; Secure" }
        return text + "; HttpOnly; SameSite=\(isStrict ? "Strict" : "Lax")"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\"), 0x7F...: false
        default: true
        }
    }
}
