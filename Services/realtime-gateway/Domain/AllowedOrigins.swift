import HTTP

/// The origins of pages that may use the cookie: our own, and those in the settings.
struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    init(_ origins: [String]) { self.origins = Set(origins) }

    /// - Parameter isSecure: whether the client uses TLS.
    func allow(_ request: Request, isSecure: Bool) -> Bool {
        guard let origin = request.headers.text(.origin) else { return true }
        return contains(origin)
            || Self.isOwn(origin, host: String(decoding: request.host, as: UTF8.self), isSecure: isSecure)
    }

    func contains(_ origin: String) -> Bool { origins.contains(origin) }

    /// Whether a page of the origin is served under the address that was called: scheme, host and port.
    ///
    /// Apps have no pages. Their libraries name the address that they call, with the scheme `ws` or `wss`, which no browser
    /// does. These need not agree with the client's use of TLS, which a load balancer may hide from the gateway.
    private static func isOwn(_ origin: String, host: String, isSecure: Bool) -> Bool {
        guard let separator = origin.firstRange(of: "://") else { return false }
        let scheme = origin[..<separator.lowerBound].lowercased()
        let isSecureOrigin: Bool
        switch scheme {
        case "http": isSecureOrigin = false
        case "https": isSecureOrigin = true
        case "ws": return isSame(origin[separator.upperBound...], host[...], port: ":80")
        case "wss": return isSame(origin[separator.upperBound...], host[...], port: ":443")
        default: return false
        }
        guard isSecureOrigin == isSecure else { return false }
        return isSame(origin[separator.upperBound...], host[...], port: isSecure ? ":443" : ":80")
    }

    /// Whether both name the same host and port; the scheme's own port may be left out.
    private static func isSame(_ first: Substring, _ second: Substring, port: String) -> Bool {
        func named(_ authority: Substring) -> String {
            let name = authority.lowercased()
            return name.hasSuffix(port) ? String(name.dropLast(port.count)) : name
        }
        return named(first) == named(second)
    }
}
