public import Wire

/// The facts of auth-service.
public enum AccountFact: Fact {
    /// A profile has changed.
    case userChanged(ProfileVersion)
    /// An account was deleted, so every service erases the user's data.
    case userDeleted(UserDeletion)
    /// A user has signed in, which the audit logs of their workspaces keep.
    case signedIn(AccountAct)
    /// A user has turned the second factor on or off, which workspaces may require.
    case secondFactorChanged(SecondFactorChange)
    /// A user has ordered an export, which the audit logs of their workspaces keep.
    case exportRequested(AccountAct)

    public enum Name: String, CaseIterable, Sendable {
        case userChanged = "user.changed"
        case userDeleted = "user.deleted"
        case signedIn = "session.opened"
        case secondFactorChanged = "second-factor.changed"
        case exportRequested = "export.requested"
    }

    public static let source = "auth"

    public var name: Name {
        switch self {
        case .userChanged: .userChanged
        case .userDeleted: .userDeleted
        case .signedIn: .signedIn
        case .secondFactorChanged: .secondFactorChanged
        case .exportRequested: .exportRequested
        }
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .userChanged(let profile): profile.write(to: &json)
        case .userDeleted(let deletion): deletion.write(to: &json)
        case .signedIn(let act): act.write(to: &json)
        case .secondFactorChanged(let change): change.write(to: &json)
        case .exportRequested(let act): act.write(to: &json)
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
        case .signedIn:
            guard let act = AccountAct(body) else { return nil }
            self = .signedIn(act)
        case .secondFactorChanged:
            guard let change = SecondFactorChange(body) else { return nil }
            self = .secondFactorChanged(change)
        case .exportRequested:
            guard let act = AccountAct(body) else { return nil }
            self = .exportRequested(act)
        }
    }
}
