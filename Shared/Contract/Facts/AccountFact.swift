public import Wire

/// The facts of auth-service.
public enum AccountFact: Fact {
    /// A profile has changed.
    case userChanged(ProfileVersion)

    public enum Name: String, CaseIterable, Sendable {
        case userChanged = "user.changed"
    }

    public static let source = "auth"

    public var name: Name {
        switch self {
        case .userChanged: .userChanged
        }
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .userChanged(let profile): profile.write(to: &json)
        }
    }

    public init?(_ name: Name, _ body: JSONValue) {
        switch name {
        case .userChanged:
            guard let profile = ProfileVersion(body) else { return nil }
            self = .userChanged(profile)
        }
    }
}
