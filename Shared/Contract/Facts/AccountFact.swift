public import Wire

/// The facts of auth-service.
public enum AccountFact: Fact {
    /// A profile has changed.
    case userChanged(ProfileVersion)
    /// An account was deleted, so every service erases the user's data.
    case userDeleted(UserDeletion)

    public enum Name: String, CaseIterable, Sendable {
        case userChanged = "user.changed"
        case userDeleted = "user.deleted"
    }

    public static let source = "auth"

    public var name: Name {
        switch self {
        case .userChanged: .userChanged
        case .userDeleted: .userDeleted
        }
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .userChanged(let profile): profile.write(to: &json)
        case .userDeleted(let deletion): deletion.write(to: &json)
        }
    }

    public init?(_ name: Name, _ body: JSONValue) {
        switch name {
        case .userChanged:
            guard let profile = ProfileVersion(body) else { return nil }
            self = .userChanged(profile)
        case .userDeleted:
            guard let deletion = UserDeletion(body) else { return nil }
            self = .userDeleted(deletion)
        }
    }
}
