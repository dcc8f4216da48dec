/// A cookie that a reply sets (RFC 6265). By default scripts cannot read it, and it is not sent along from other sites.
public struct SetCookie: Hashable, Sendable {
    public enum SameSite: String, Sendable {
        case strict = "Strict"
        case lax = "Lax"
        /// Needs `isSecure`.
        case none = "None"
    }

    public let name: String
    public let value: String
    public var path = "/"
    /// `nil` lets it end with the client's session.
    public var lifetime: Duration?
    /// Whether it is sent over TLS alone.
    public var isSecure = false
    public var isHTTPOnly = true
    public var sameSite: SameSite? = .lax

    /// `nil` where the name or the value holds what a cookie cannot: blanks, `;`, `,`, quotes, controls, non-ASCII.
    public init?(_ name: String, _ value: String) {
        guard !name.isEmpty, name.utf8.allSatisfy({ Self.isPlain($0) && $0 != UInt8(ascii: "=") }),
            value.utf8.allSatisfy(Self.isPlain)
        else { return nil }
        self.name = name
        self.value = value
    }

    /// The cookie that makes a client forget `name`, under the same path.
    public static func clearing(_ name: String) -> SetCookie? {
        var cookie = SetCookie(name, "")
        cookie?.lifetime = .zero
        return cookie
    }

    /// The value of the header `Set-Cookie`.
    public var text: String {
        var text = "\(name)=\(value); Path=\(path)"
        if let lifetime { text += "; Max-Age=\(max(0, lifetime.components.seconds))" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
        return text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\"), 0x7F...: false
        default: true
        }
    }
}
