import Contract
import EventLoop
import ServiceKit
import Wire

/// The members of rooms and their nicknames: from workspace-service for channels, from the table of DMs for DMs, and from
/// the cache of profiles for the names.
struct RoomMembers: Sendable {
    private let workspaces: WorkspaceClient
    private let dms: DMStore
    private let profiles: ProfileCache
    private let ids: HintedCache<RoomID, [UserID]>
    private let names: HintedCache<RoomID, MemberNames>

    /// Members in all cached rooms together, about 100 bytes each with their names.
    private static let capacity = 500_000

    init(workspaces: WorkspaceClient, dms: DMStore, profiles: ProfileCache) {
        self.workspaces = workspaces
        self.dms = dms
        self.profiles = profiles
        ids = HintedCache(capacity: Self.capacity)
        names = HintedCache(capacity: Self.capacity)
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) {
        ids.follow(subscriber, on: loop)
        names.follow(subscriber, on: loop)
    }

    /// The members of a room of a workspace, in the order of their ids.
    ///
    /// - Parameter member: one of them, by which a DM is found.
    func ids(of room: RoomID, in workspace: WorkspaceID, member: UserID) async throws -> [UserID] {
        try await ids.value(of: room) {
            let users = try await fetch(room, member)
            return HintedCache.Entry(value: users, workspace: workspace, users: [], weight: users.count + 1)
        }
    }

    /// The mentions of a text. Costs no lookup if the text cannot have any.
    ///
    /// - Parameter author: the author of the text, a member of the room.
    func mentions(
        in content: String, of room: RoomID, in workspace: WorkspaceID, by author: UserID
    ) async throws -> Mentions {
        guard Mentions.isPossible(in: content) else { return .none }
        return Mentions(in: content, among: try await names(of: room, in: workspace, member: author))
    }

    private func names(of room: RoomID, in workspace: WorkspaceID, member: UserID) async throws -> MemberNames {
        try await names.value(of: room) {
            let users = try await ids(of: room, in: workspace, member: member)
            let known = try await profiles.members(users)
            let members = users.map { (user: $0, nickname: known[$0]?.nickname ?? "") }
            return HintedCache.Entry(
                value: MemberNames(members), workspace: workspace, users: Set(users), weight: users.count + 1)
        }
    }

    private func fetch(_ room: RoomID, _ member: UserID) async throws -> [UserID] {
        if let dm = room.dm { return try await dms.find([dm], of: member).flatMap { [$0.low, $0.high] } }
        guard let channel = room.channel else { return [] }
        return try await workspaces.allMembers(of: channel)
    }
}
