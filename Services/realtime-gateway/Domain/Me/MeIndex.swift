import Contract
import EventLoop
import Wire

/// The `/me` sockets of a loop by their users and workspaces, with their presence and badges.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class MeIndex: @unchecked Sendable {
    let presence: PresenceHub
    let badges: BadgeBoard
    let incompleteStarts: IncompleteStarts
    /// Look-ups of profiles for events, so that the events about a user keep their order. After one that was left out clients read their
    /// workspaces again.
    let lookUps: UserTasks
    private var sockets: [MemberID: Entry] = [:]
    private var users: [UserID: [MeSocket]] = [:]
    private var workspaces: [WorkspaceID: [MemberID: MeSocket]] = [:]
    /// How many messages are fetched at once in rooms that could not be read.
    private var pageSizes: [RoomID: Int] = [:]

    private static let mostPageSizes = 4096
    private static let mostLookUps = 2048

    private struct Entry {
        let socket: MeSocket
        /// The workspaces of its rooms.
        var workspaces: Set<WorkspaceID> = []
        var whollySeen: Set<WorkspaceID> = []
        /// Those of the workspaces that were out of reach when the rooms were last read.
        var unavailable: Set<WorkspaceID> = []
        var refreshing = Refreshing.none
    }

    /// Whether the rooms of a socket's user are being read again.
    enum Refreshing {
        case none, once
        /// Something has changed since the reading began.
        case again
    }

    init(of shard: GatewayShard) {
        presence = PresenceHub(on: shard.loop, named: shard.cursors.loopName, shard.context.me)
        badges = BadgeBoard(of: shard)
        incompleteStarts = IncompleteStarts(of: shard)
        lookUps = UserTasks(on: shard.loop, limit: Self.mostLookUps) { [weak shard] in shard?.directoryUnknown() }
    }

    var isEmpty: Bool { users.isEmpty }
    var all: some Sequence<MeSocket> { users.values.joined() }

    func socket(_ id: MemberID) -> MeSocket? { sockets[id]?.socket }

    func sockets(of user: UserID) -> [MeSocket] { users[user] ?? [] }

    /// The sockets of users with a room in a workspace.
    func sockets(in workspace: WorkspaceID) -> [MeSocket] { workspaces[workspace].map { Array($0.values) } ?? [] }

    /// The workspaces that a socket is in.
    func workspaces(of socket: MeSocket) -> Set<WorkspaceID> { sockets[socket.id]?.workspaces ?? [] }

    /// Whether a socket's user sees every member and channel of a workspace, and not only those of their channels.
    func sees(_ workspace: WorkspaceID, _ socket: MeSocket) -> Bool {
        sockets[socket.id]?.whollySeen.contains(workspace) == true
    }

    func refreshing(_ socket: MeSocket) -> Refreshing { sockets[socket.id]?.refreshing ?? .none }

    func note(_ refreshing: Refreshing, of socket: MeSocket) { sockets[socket.id]?.refreshing = refreshing }

    func note(_ workspaces: Set<WorkspaceID>, seenBy socket: MeSocket) { sockets[socket.id]?.whollySeen = workspaces }

    /// The workspaces of a socket that were out of reach when its rooms were last read.
    func unavailable(of socket: MeSocket) -> Set<WorkspaceID> { sockets[socket.id]?.unavailable ?? [] }

    /// The rooms of a socket have been read, but for those in workspaces out of reach.
    func note(unavailable workspaces: Set<WorkspaceID>, of socket: MeSocket) {
        sockets[socket.id]?.unavailable = workspaces
        if sockets[socket.id] != nil, !workspaces.isEmpty { incompleteStarts.add(socket.id) }
    }

    func add(_ socket: MeSocket) {
        sockets[socket.id] = Entry(socket: socket)
        users[socket.user, default: []].append(socket)
    }

    func add(_ socket: MeSocket, to workspace: WorkspaceID) {
        guard sockets[socket.id]?.workspaces.insert(workspace).inserted == true else { return }
        workspaces[workspace, default: [:]][socket.id] = socket
    }

    func remove(_ socket: MeSocket, from workspace: WorkspaceID) {
        sockets[socket.id]?.workspaces.remove(workspace)
        workspaces[workspace]?[socket.id] = nil
        if workspaces[workspace]?.isEmpty == true { workspaces[workspace] = nil }
    }

    /// A `/me` socket leaves a room that cannot be read. The room may be empty meanwhile, and must not begin with a page that is too
    /// long again.
    func keep(pageSize: Int, of room: RoomID) {
        guard pageSize < RoomDriver.largestPage else { return }
        if pageSizes.count >= Self.mostPageSizes { pageSizes = [:] }
        pageSizes[room] = pageSize
    }

    /// The page size with which a room goes on; nil if it was not kept.
    func takePageSize(of room: RoomID) -> Int? { pageSizes.removeValue(forKey: room) }

    func remove(_ socket: MeSocket) {
        for workspace in workspaces(of: socket) { remove(socket, from: workspace) }
        sockets[socket.id] = nil
        users[socket.user]?.removeAll { $0 === socket }
        if users[socket.user]?.isEmpty == true { users[socket.user] = nil }
    }
}
