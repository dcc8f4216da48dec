public import Wire

/// The facts of workspace-service.
///
/// A workspace has one version, which every change of it, its channels or their members raises. A consumer ignores a
/// fact with an older version than it has stored.
public enum WorkspaceFact: Fact {
    case workspaceChanged(WorkspaceVersion)
    case workspaceDeleted(WorkspaceVersion)
    case memberAdded(WorkspaceMembership)
    case memberRemoved(WorkspaceMembership)
    /// Not for the default channel, which a workspace has from its beginning.
    case channelCreated(ChannelVersion)
    case channelChanged(ChannelVersion)
    case channelDeleted(ChannelVersion)
    case channelMemberAdded(ChannelMembership)
    case channelMemberRemoved(ChannelMembership)
    /// The purchase of reserved coins has been committed, so payment-service captures them.
    case captureCoins(SpendOrder)
    /// An invitation is to be mailed, so auth-service asks for the values of its mail.
    case invitationMailed(InvitationReference)

    public enum Name: String, CaseIterable, Sendable {
        case workspaceChanged = "workspace.changed"
        case workspaceDeleted = "workspace.deleted"
        case memberAdded = "workspace.member.added"
        case memberRemoved = "workspace.member.removed"
        case channelCreated = "channel.created"
        case channelChanged = "channel.changed"
        case channelDeleted = "channel.deleted"
        case channelMemberAdded = "channel.member.added"
        case channelMemberRemoved = "channel.member.removed"
        case captureCoins = "coins.capture"
        case invitationMailed = "invitation.mailed"
    }

    public static let source = "workspace"

    public var name: Name {
        switch self {
        case .workspaceChanged: .workspaceChanged
        case .workspaceDeleted: .workspaceDeleted
        case .memberAdded: .memberAdded
        case .memberRemoved: .memberRemoved
        case .channelCreated: .channelCreated
        case .channelChanged: .channelChanged
        case .channelDeleted: .channelDeleted
        case .channelMemberAdded: .channelMemberAdded
        case .channelMemberRemoved: .channelMemberRemoved
        case .captureCoins: .captureCoins
        case .invitationMailed: .invitationMailed
        }
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .workspaceChanged(let body), .workspaceDeleted(let body): body.write(to: &json)
        case .memberAdded(let body), .memberRemoved(let body): body.write(to: &json)
        case .channelCreated(let body), .channelChanged(let body), .channelDeleted(let body): body.write(to: &json)
        case .channelMemberAdded(let body), .channelMemberRemoved(let body): body.write(to: &json)
        case .captureCoins(let body): body.write(to: &json)
        case .invitationMailed(let body): body.write(to: &json)
        }
    }

    public init?(_ name: Name, _ body: JSONValue) {
        func read<Body: WireMessage>(_ make: (Body) -> Self) -> Self? { Body(body).map(make) }
        let fact: Self? =
            switch name {
            case .workspaceChanged: read(Self.workspaceChanged)
            case .workspaceDeleted: read(Self.workspaceDeleted)
            case .memberAdded: read(Self.memberAdded)
            case .memberRemoved: read(Self.memberRemoved)
            case .channelCreated: read(Self.channelCreated)
            case .channelChanged: read(Self.channelChanged)
            case .channelDeleted: read(Self.channelDeleted)
            case .channelMemberAdded: read(Self.channelMemberAdded)
            case .channelMemberRemoved: read(Self.channelMemberRemoved)
            case .captureCoins: read(Self.captureCoins)
            case .invitationMailed: read(Self.invitationMailed)
            }
        guard let fact else { return nil }
        self = fact
    }
}
