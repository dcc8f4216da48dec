/// The actions of members in a workspace. `Policy.table` has the roles for each.
enum WorkspaceAction: String, Sendable, CaseIterable {
    /// See the workspace and the channels that one is in, and leave both.
    case see
    /// See every member and every channel of the workspace.
    case seeEverybody
    /// Enter channels without being put in.
    case joinChannels
    case createChannels
    /// Add members and guests, make and revoke invitations, decide about requests to join.
    case invite
    /// Put others in channels that one does not own, remove them from there, and delete these channels.
    case manageChannels
    /// Change the roles of members with a lower role.
    case setRoles
    /// Remove and ban members with a lower role, and lift bans.
    case removeMembers
    /// Delete the messages of others, and answer reports.
    case moderate
    case readAudit
    /// Make and end bots and their tokens.
    case manageBots
    /// Change the name, the description and the picture of the workspace.
    case edit
    /// Change the settings of the workspace.
    case changeSettings
    case transfer
    case delete
}
