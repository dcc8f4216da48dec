/// The required `typ` of a token, so that a token for one purpose cannot serve another.
public enum JWTType: Hashable, Sendable {
    /// Exactly this media type, such as `at+jwt`; with or without `application/` before it, in any case.
    case named(String)
    /// `JWT` or no type, as other issuers send.
    case generic

    func accepts(_ type: String?) -> Bool {
        switch self {
        case .named(let name): type.map(Self.withoutPrefix) == Self.withoutPrefix(name)
        case .generic: type.map { Self.withoutPrefix($0) == "jwt" } ?? true
        }
    }

    private static func withoutPrefix(_ type: String) -> Substring {
        let type = type.lowercased()
        return type.hasPrefix("application/") ? type.dropFirst("application/".count) : type[...]
    }
}
