import Contract
import ServiceKit
import Wire

/// The rooms of two.
struct DirectMessages: Sendable {
    let store: DMStore
    let doors: Doors
    let profiles: ProfileCache

    /// The room of the two, made if need be; both must be in the workspace.
    func open(_ user: UserID, _ opponent: UserID, in workspace: WorkspaceID) async throws -> DM {
        guard user != opponent else { throw Failure.invalid("Nobody writes to oneself.") }
        try await doors.requireMembers([user, opponent], of: workspace)
        let (dm, isNew) = try await store.open(user, opponent, in: workspace, at: .now)
        if isNew { try await requireStillMembers([user, opponent], in: dm) }
        return dm
    }

    /// Who left before the room was there had nothing to be noted in.
    private func requireStillMembers(_ users: [UserID], in dm: DM) async throws {
        var gone: [UserID] = []
        for user in users where try await !doors.isMember(user, of: dm.workspace) { gone.append(user) }
        guard !gone.isEmpty else { return }
        try await store.setLeft(gone, dm.id)
        throw Failure.notFound
    }

    /// The same, but a room that exists stays readable when one of the two has left.
    func openOrFind(_ user: UserID, _ opponent: UserID, in workspace: WorkspaceID) async throws -> DM {
        guard user != opponent else { throw Failure.invalid("Nobody writes to oneself.") }
        try await doors.requireMembers([user], of: workspace)
        if let dm = try await store.find(user, opponent, in: workspace) { return dm }
        return try await open(user, opponent, in: workspace)
    }

    /// The user's rooms in a workspace, oldest first.
    func list(_ workspace: WorkspaceID, of user: UserID) async throws -> [RoomView] {
        try await doors.requireMembers([user], of: workspace)
        let rooms = try await store.list(workspace, of: user)
        let opponents = try await profiles.members(rooms.map { $0.opponent(of: user) })
        return rooms.map { dm in
            let opponent = dm.opponent(of: user)
            return RoomView(
                workspace: workspace, id: dm.id, createdAt: dm.createdAt,
                opponent: opponents[opponent] ?? .gone(opponent))
        }
    }

    func view(_ dm: DM, for user: UserID) async throws -> RoomView {
        let opponent = try await profiles.member(dm.opponent(of: user))
        return RoomView(workspace: dm.workspace, id: dm.id, createdAt: dm.createdAt, opponent: opponent)
    }
}
