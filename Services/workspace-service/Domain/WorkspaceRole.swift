/// The role of a user in a workspace.
enum WorkspaceRole: Sendable, Equatable {
    case outsider, member, owner
}
