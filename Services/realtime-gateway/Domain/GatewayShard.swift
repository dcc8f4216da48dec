import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import Wire

/// Everything of the gateway that belongs to one loop: the rooms with sockets here, and the sockets by session.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop, as every value of a `LoopLocal`.
final class GatewayShard: @unchecked Sendable {
    /// Bounds how many calls are under way at once.
    struct Limits {
        /// Rooms that check all of their members.
        let rechecks = ConcurrencyLimiter(16)
        /// Joins whose access is checked. When all sockets come back together the others wait: the shipped clients do not
        /// ask a second time.
        let admissions = ConcurrencyLimiter(64)
        /// Starts of `/me` sockets, two calls of `StartReads`. They keep chat-service busy: more of them would only wait there, and
        /// posts behind them.
        let starts = ConcurrencyLimiter(2 * StartReads.usersPerCall)
        /// Joins for which chat-service is asked for a history cursor.
        let cursorReads = ConcurrencyLimiter(64)
    }

    let loop: EventLoop
    let context: ShardContext
    let admission: Admission
    let cursors: CursorWriter
    let limits = Limits()
    private(set) var rooms: [RoomID: RoomDriver] = [:]
    var accessChanges = AccessChanges()
    /// Kept by the sockets themselves.
    var census = SocketCensus.Count()
    private var sessions = SessionIndex()
    /// The `/me` sockets.
    private(set) lazy var me = MeIndex(of: self)
    private var presence: RoomPresence?
    private var memberCount: UInt64 = 0

    /// Rooms with room presence to write at once, and the pause before the next ones.
    private static let roomsAtOnce = 1000
    private static let pauseBetweenRooms = Duration.milliseconds(20)

    init(on loop: EventLoop, _ context: ShardContext, admission: Admission) {
        self.loop = loop
        self.context = context
        self.admission = admission
        cursors = CursorWriter(on: loop, store: context.cursors)
    }

    /// The blocks of the users with connections here.
    var blocks: SocketBlocks { context.blocks.current }

    // MARK: Sockets

    /// Reports how many sockets there are, now and every few seconds.
    func report(to census: SocketCensus) {
        census.note(self.census, ofLoop: loop.index)
        loop.schedule(after: SocketCensus.interval) { [weak self] in self?.report(to: census) }
    }

    /// The identity of a connection has become known. A session that was revoked meanwhile loses it again.
    func add(_ client: SocketIOClient, as identity: Identity) {
        if let user = identity.user { blocks.enter(user) }
        // The join of `/me` names the cursors of all rooms of the client.
        if identity.profile.isNative, identity.caller != nil {
            client.engine.maximumPayload = max(client.engine.maximumPayload, context.me.limits.messageSize)
        }
        guard let session = identity.session else { return }
        sessions.add(client, of: session)
        if admission.isRevoked(session) { loop.executeAtEndOfTurn { client.engine.close() } }
    }

    func remove(_ client: SocketIOClient, as identity: Identity) {
        if let session = identity.session { sessions.remove(client, of: session) }
        if let user = identity.user { blocks.leave(user) }
    }

    /// Closes the sockets of a session that has ended; nothing more goes to them.
    func revoke(_ session: SessionID) {
        for socket in sessions.sockets(of: session) {
            rooms[socket.room]?.handle { machine, _ in machine.revoke(socket.id) }
        }
        for client in sessions.clients(of: session) {
            client.send(MeEvent.sessionEnded(reason: "The session has ended.").packet)
            client.engine.close()
        }
    }

    // MARK: Rooms

    /// A number for a socket in a room that no other has.
    func nextMemberID() -> MemberID {
        memberCount += 1
        return MemberID(rawValue: memberCount)
    }

    /// Lets a socket into a room, as a member of it or only into its namespace.
    func join(_ socket: RoomSocket, isMember: Bool, workspace: WorkspaceID?) {
        sessions.add(socket)
        let known = rooms[socket.room]
        let room = known ?? RoomDriver(socket.room, of: self)
        rooms[socket.room] = room
        if let workspace { room.workspace = workspace }
        room.join(socket, isMember: isMember)
        if known == nil { room.open() }
        if let user = socket.identity.user { presence?.enter([user], socket.room) }
    }

    func leave(_ socket: RoomSocket) {
        sessions.remove(socket)
        rooms[socket.room]?.leave(socket.id)
    }

    /// Lets a `/me` socket of a member into a room.
    ///
    /// - Parameters:
    ///   - start: how far its client has the room; nil to begin at the present.
    ///   - head: the room's head by chat-service, if it was asked for.
    func enter(_ socket: MeSocket, _ room: RoomID, after start: RoomHead?, head: RoomHead?) {
        let known = rooms[room]
        let driver = known ?? RoomDriver(room, of: self)
        if known == nil {
            rooms[room] = driver
            driver.pageSize = me.takePageSize(of: room) ?? driver.pageSize
        }
        driver.join(socket, after: start, head: head)
        if known == nil { driver.open() }
    }

    func leave(_ socket: MeSocket, _ room: RoomID) { rooms[room]?.leave(socket.id) }

    func recheck(_ socket: MeSocket, in room: RoomID) {
        if let driver = rooms[room] { recheck(socket.id, in: driver) }
    }

    func userLeft(_ user: UserID, _ room: RoomID) { presence?.leave(user, room) }

    /// A room without members is forgotten.
    func close(_ room: RoomDriver) { if rooms[room.room] === room { rooms[room.room] = nil } }

    /// A history reply of the session held everything up to `seq`.
    ///
    /// - Parameter left: messages that it left out because a socket of the session is sent them.
    func historyReported(_ session: SessionID, _ room: RoomID, _ seq: Int64, leaving left: ClosedRange<Int64>?) {
        guard let driver = rooms[room] else { return }
        for socket in sessions.sockets(of: session) where socket.room == room {
            driver.handle { $0.historyReported(socket.id, seq, leaving: left, &$1) }
        }
    }

    /// A heartbeat was sent to a socket, or answered. Where repeats are fatal nothing is ever sent again, so it does not
    /// matter what was confirmed.
    func heartbeat(_ sign: EngineHeartbeat, of socket: RoomSocket) {
        guard let room = rooms[socket.room], let session = socket.identity.session,
            socket.identity.profile.repeatedEvent == .harmless
        else { return }
        room.handle { [self] machine, _ in
            switch sign {
            case .sent: machine.change(socket.id) { $0.mark() }
            case .answered:
                guard let seq = machine.change(socket.id, { $0.confirm() }) ?? nil else { return }
                Task.immediate(executorPreference: loop) { [context] in
                    await context.cursors.confirm(session, socket.room, seq)
                }
            }
        }
    }

    // MARK: Presence over time

    /// Writes the users of the rooms here, now and again before they expire.
    func showPresence(_ presence: Presence) {
        self.presence = RoomPresence(presence, of: cursors.loopName, on: loop)
        keepPresence()
    }

    private func keepPresence() {
        guard let presence else { return }
        writePresence()
        loop.schedule(after: presence.renewal) { [weak self] in self?.keepPresence() }
    }

    /// Writes the users of the rooms here, and the departures that Redis has not taken.
    func writePresence() {
        guard let presence else { return }
        presence.leaveAgain { user, room in rooms[room]?.users.contains(user) == true }
        writePresence(of: Array(rooms.keys)[...])
    }

    /// The commands of all rooms at once may be more than a connection accepts.
    private func writePresence(of names: ArraySlice<RoomID>) {
        for name in names.prefix(Self.roomsAtOnce) {
            if let room = rooms[name] { presence?.enter(room.users, name) }
        }
        let rest = names.dropFirst(Self.roomsAtOnce)
        guard !rest.isEmpty else { return }
        loop.schedule(after: Self.pauseBetweenRooms) { [weak self] in self?.writePresence(of: rest) }
    }
}
