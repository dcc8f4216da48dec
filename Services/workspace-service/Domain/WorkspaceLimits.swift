/// The largest numbers of workspaces and members.
struct WorkspaceLimits: Sendable, Equatable {
    /// Workspaces that one user owns.
    let ofOwner: Int
    /// Members of a workspace. Does not apply to system workspaces, which users join automatically.
    let ofMembers: Int
}
