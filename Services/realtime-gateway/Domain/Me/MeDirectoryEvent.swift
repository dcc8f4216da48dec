import Contract
import Wire

/// An event about a workspace, a channel, a member or a profile that a client shows.
enum MeDirectoryEvent: Equatable {
    /// A channel of a workspace; the view is nil where it is gone.
    case room(DirectoryHint.Change, WorkspaceID, ChannelID, ChannelView?)
    /// A workspace. Without a view the client reads it again.
    case workspace(DirectoryHint.Change, WorkspaceID, WorkspaceView?)
    /// A member of a workspace, or of one of its channels; the view is nil for a deleted account.
    case member(DirectoryHint.Change, WorkspaceID, ChannelID?, UserID, MemberView?)
    /// The view is nil for a deleted account.
    case profile(UserID, MemberView?)

    var name: String {
        switch self {
        case .room: "room"
        case .workspace: "workspace"
        case .member: "member"
        case .profile: "profile"
        }
    }

    func writeMembers(to json: inout JSONWriter, for profile: ClientProfile) {
        switch self {
        case .room(let change, let workspace, let channel, let view):
            json.field("type", change.rawValue)
            json.field("workspace_id", workspace, for: profile)
            json.field("room", RoomID(channel).description)
            if let view {
                view.writeMembers(to: &json, for: profile)
            } else {
                json.field("channel_id", channel, for: profile)
            }
        case .workspace(let change, let workspace, let view):
            json.field("type", change.rawValue)
            if let view {
                view.writeMembers(to: &json, for: profile)
            } else {
                json.field("workspace_id", workspace, for: profile)
            }
        case .member(let change, let workspace, let channel, let user, let view):
            json.field("type", change.rawValue)
            json.field("workspace_id", workspace, for: profile)
            if let channel { json.field("room", RoomID(channel).description) }
            Self.write(user, view, to: &json, for: profile)
        case .profile(let user, let view):
            json.field("type", view == nil ? "deleted" : "edited")
            Self.write(user, view, to: &json, for: profile)
        }
    }

    private static func write(
        _ user: UserID, _ view: MemberView?, to json: inout JSONWriter, for profile: ClientProfile
    ) {
        if let view {
            view.writeMembers(to: &json, for: profile)
        } else {
            json.field("user_id", user, for: profile)
        }
    }
}

/// The unread messages of a user in all rooms and followed threads, and those among them that mention the user.
struct MeBadge: Equatable {
    let unread: Int64
    let mentions: Int64
}
