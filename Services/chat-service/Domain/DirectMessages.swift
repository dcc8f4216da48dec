import Contract
import ServiceKit
import Wire

/// Opens and lists DMs.
struct DirectMessages: Sendable {
    let store: DMStore
    let access: RoomAccess
    let profiles: ProfileCache
    let hints: AccessHintPublisher
    /// The largest number of DMs of one user in a workspace.
    let limit: Int

    /// A client repeats a failed call within this time.
    private static let repetition = Duration.seconds(60)

    /// Returns the DM of two members of the workspace that see each other, and creates it if there is none.
    func open(_ user: UserID, _ opponent: UserID, in workspace: WorkspaceID) async throws -> DM {
        guard user != opponent else { throw Self.withOneself }
        try await access.requireAcquainted(user, opponent, in: workspace)
        guard let (dm, isNew) = try await store.open(user, opponent, in: workspace, limit: limit, at: .now) else {
            throw Failure.invalid("You or the other user have too many DMs in the workspace.")
        }
        // The call that made the DM may have failed after its commit: its repetition checks and tells once more.
        guard isNew || Timestamp.now - dm.createdAt < Self.repetition else { return dm }
        // Also if the check fails or the client goes away meanwhile: messages may be sent in the DM from now on.
        defer { for member in [user, opponent] { hints.publish(workspace, member) } }
        try await requireStillMembers([user, opponent], in: dm)
        return dm
    }

    /// Marks the members that left before the DM existed, because the fact of their leaving found no row to mark.
    private func requireStillMembers(_ users: [UserID], in dm: DM) async throws {
        var gone: [UserID] = []
        for user in users where try await !access.isMember(user, of: dm.workspace) { gone.append(user) }
        guard !gone.isEmpty else { return }
        try await store.setLeft(gone, dm.id, in: dm.workspace)
        throw Failure.notFound
    }

    /// Returns the DM of two users, and creates it if there is none. An existing DM stays readable after one of them
    /// left.
    func findOrOpen(_ user: UserID, _ opponent: UserID, in workspace: WorkspaceID) async throws -> DM {
        guard user != opponent else { throw Self.withOneself }
        try await access.requireMember(user, of: workspace)
        if let dm = try await store.find(user, opponent, in: workspace) { return dm }
        return try await open(user, opponent, in: workspace)
    }

    /// The user's DMs in a workspace, oldest first, each with its place in the list.
    func list(
        _ workspace: WorkspaceID, of user: UserID, for profile: ClientProfile
    ) async throws -> PagedList<(place: Int, view: RoomView), Int> {
        try await access.requireMember(user, of: workspace)
        let dms = try await access.dms(of: user, in: workspace)
        return PagedList(pageSize: Self.pageSize) { [profiles] last, limit in
            let page = (((last ?? -1) + 1)..<dms.count).prefix(limit)
            let opponents = try await profiles.members(page.map { dms[$0].opponent(of: user) })
            return page.map { place in
                let (dm, opponent) = (dms[place], dms[place].opponent(of: user))
                let view = RoomView(
                    workspace: workspace, id: dm.id, createdAt: dm.createdAt,
                    opponent: opponents[opponent] ?? .deleted(opponent))
                return (place, view)
            }
        } key: {
            $0.place
        } write: { dm, json in
            json.view(dm.view, for: profile)
        }
    }

    /// The DM as one of its members sees it.
    func view(_ dm: DM, for user: UserID) async throws -> RoomView {
        let opponent = try await profiles.member(dm.opponent(of: user))
        return RoomView(workspace: dm.workspace, id: dm.id, createdAt: dm.createdAt, opponent: opponent)
    }

    /// DMs of a page.
    private static let pageSize = 1000

    private static let withOneself = Failure.invalid("You cannot open a DM with yourself.")
}
