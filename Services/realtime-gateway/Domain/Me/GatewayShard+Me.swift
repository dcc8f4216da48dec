import Contract
import EventLoop
import ServiceKit
import SocketIO
import Wire

/// The `/me` sockets of a loop: their starts, and changes of their users' access.
extension GatewayShard {
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)

    // MARK: Starts

    /// Reads the rooms of a socket's user, and begins. While a service does not answer, the socket waits.
    func begin(_ socket: MeSocket, from cursors: MeCursors) {
        // The connection may have broken while the join was acknowledged.
        if socket.isEnded { return }
        me.add(socket)
        Task.immediate(executorPreference: loop) { [self] in
            await blocks.settled(socket.user)
            // The `ready` of an earlier socket of the connection may still wait: two large ones never do.
            await socket.backpressure.wait { SocketBackpressure.hasRoom(in: socket.engine) }
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            while !socket.isEnded {
                do {
                    let start = try await context.me.starts.start(
                        of: socket.user, for: socket.profile, heads: context.chat.heads(of:)
                    ) { try await self.start(of: socket) }
                    if !socket.isEnded {
                        enter(socket, start)
                        socket.begin(start, without: unavailable(in: start, to: socket), from: cursors)
                    }
                    return
                } catch {
                    try? await loop.sleep(for: backoff.next())
                }
            }
        }
    }

    func end(_ socket: MeSocket) {
        me.presence.ended(socket)
        // Its rooms still find it while it leaves them.
        socket.end()
        me.remove(socket)
    }

    /// The workspaces of a socket's user, when they have been read.
    private func enter(_ socket: MeSocket, _ start: MeStart) {
        let workspaces = start.workspaces
        for workspace in me.workspaces(of: socket) where !workspaces.contains(workspace) {
            me.remove(socket, from: workspace)
        }
        for workspace in workspaces { me.add(socket, to: workspace) }
        me.note(start.whollySeen, seenBy: socket)
        me.note(unavailable: start.unavailable, of: socket)
    }

    /// What a start lacks, as far as it is known.
    private func unavailable(in start: MeStart, to socket: MeSocket) -> MeMachine.Unavailable {
        let workspaces = start.unavailable
        if workspaces.isEmpty { return MeMachine.Unavailable() }
        let dms = socket.rooms.filter { room in
            guard room.kind == .dm, let driver = rooms[room], driver.contains(socket.id) else { return false }
            // That of a DM that has waited for its turn may be unknown, and a check might go on until the outage ends.
            return driver.workspace.map(workspaces.contains) ?? true
        }
        return MeMachine.Unavailable(workspaces: workspaces, rooms: start.unavailableChannels.union(dms))
    }

    /// The start of a socket, as of the last known change of its user's access.
    private func start(of socket: MeSocket) async throws -> MeStart {
        while true {
            let mark = accessChanges.mark(of: socket.user)
            let start = try await limits.starts.run {
                try await context.me.startReads.start(of: socket.user, for: socket.profile)
            }
            if accessChanges.holds(mark, of: socket.user, in: start.workspaces) { return start }
        }
    }

    /// Tells a socket of read markers that other devices of its user have moved since its start, in rooms that it was not in yet.
    ///
    /// - Parameter entered: these rooms as they were in the start.
    func compareReads(of socket: MeSocket, in entered: [RoomID: MeMachine.Room]) {
        guard let moves = socket.own.readMoves else { return }
        Task.immediate(executorPreference: loop) { [self] in
            var rest = entered
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            while !socket.isEnded {
                do {
                    await socket.waitForRoom()
                    let count = try await context.me.starts.readMoves(of: socket.user)
                    if count == moves { return }
                    let start = try await start(of: socket)
                    // The event of a marker that moves now may come before these.
                    if try await context.me.starts.readMoves(of: socket.user) == count {
                        tell(start.reads(of: socket.user, since: rest), to: socket)
                        rest = rest.filter { start.unavailable.contains($0.value.workspace) }
                        if rest.isEmpty { return }
                        // The others are out of reach.
                        if backoff.limit == Self.longestPause { backoff = IncompleteStarts.backoff }
                    }
                } catch {}
                try? await loop.sleep(for: backoff.next())
            }
        }
    }

    private func tell(_ reads: [RoomRead], to socket: MeSocket) {
        for read in reads where !socket.isEnded && socket.isIn(read.room) {
            socket.send(.read(read, withCounts: true))
        }
        // Its badge was counted before the markers moved.
        if !reads.isEmpty, !socket.isEnded { me.badges.changed(socket.user) }
    }

    /// A user has changed something of their own: the other devices are told.
    func userStateChanged(_ hint: UserStateHint) {
        context.me.starts.changed(hint.user)
        noteStarting(hint.user)
        for socket in me.sockets(of: hint.user) where socket.isReady {
            switch hint.part {
            case .thread: me.badges.changed(hint.user)
            case .settings, .notify, .draft:
                if hint.session != socket.caller.session { socket.send(.changedElsewhere(hint.part, hint.room)) }
            }
            if hint.part == .settings { refresh(socket) }
        }
    }

    /// A start of the user that is being read may be older than a change of the user's own.
    private func noteStarting(_ user: UserID) {
        if me.sockets(of: user).contains(where: { !$0.isReady }) { accessChanges.note(user) }
    }

    /// A bot has answered a command later, for the user alone. The user may have lost the room meanwhile.
    func commandAnswered(_ hint: PrivateAnswerHint) {
        for socket in me.sockets(of: hint.user) where socket.isReady && socket.isIn(hint.answer.room) {
            socket.send(.commandAnswer(hint.answer))
        }
    }

    /// A user has blocked another one, or ended the block. It changes which DMs the user has.
    func blockChanged(_ hint: BlockHint) {
        blocks.changed([hint.user, hint.blocked])
        context.me.starts.changed(hint.blocked)
        for user in [hint.user, hint.blocked] { noteStarting(user) }
        if !me.sockets(of: hint.user).isEmpty { me.badges.changed(hint.user) }
        meAccessChanged(of: hint.user, room: nil)
    }

    // MARK: Access

    /// Something has changed for a user: in one channel or DM, or in all rooms for nil.
    func meAccessChanged(of user: UserID, room: RoomID?) {
        // A kept start does not know the workspace or the room that the user has just got.
        context.me.starts.changed(user)
        for socket in me.sockets(of: user) where socket.isReady {
            if !socket.doubt(room), let room { checkGained(room, by: socket) } else { refresh(socket) }
        }
    }

    /// Something has changed for any users of a workspace, or of one of its channels.
    func meAccessChanged(in workspace: WorkspaceID, room: RoomID?) {
        for socket in me.sockets(in: workspace) where socket.doubt(room) { refresh(socket) }
    }

    /// Changes may have been missed: all sockets read their rooms again, spread over a time.
    func meAccessUnknown() {
        for socket in me.all where socket.isReady {
            _ = socket.doubt(nil)
            refresh(socket)
            // Read markers may have moved unheard.
            me.badges.changed(socket.user)
        }
    }

    private func checkGained(_ room: RoomID, by socket: MeSocket) {
        guard !socket.isIn(room) else { return }
        Task.immediate(executorPreference: loop) { [self] in
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            while !socket.isEnded {
                do {
                    let standing = try await limits.admissions.run {
                        try await self.standing(of: socket.user, in: room)
                    }
                    if let standing, standing.isMember, !socket.isEnded {
                        me.add(socket, to: standing.workspace)
                        socket.handle { $0.gained(room) }
                        note(standing.workspace, of: room)
                    }
                    return
                } catch {
                    try? await loop.sleep(for: backoff.next())
                }
            }
        }
    }

    /// Reads the rooms of a socket's user again; once more if that is asked for meanwhile.
    func refresh(_ socket: MeSocket) {
        guard me.refreshing(socket) == .none else { return me.note(.again, of: socket) }
        me.note(.once, of: socket)
        Task.immediate(executorPreference: loop) { [self] in await readAgain(socket) }
    }

    /// Reads the rooms of a socket's user again, unless they are being read. Returns when they have been read, or the socket has ended.
    func refreshUnlessReading(_ socket: MeSocket) async {
        guard me.refreshing(socket) == .none else { return }
        me.note(.once, of: socket)
        await readAgain(socket)
    }

    private func readAgain(_ socket: MeSocket) async {
        var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
        while !socket.isEnded, me.refreshing(socket) != .none {
            do {
                me.note(.once, of: socket)
                let start = try await start(of: socket)
                if socket.isEnded { return }
                refreshed(socket, start)
                if me.refreshing(socket) == .once { me.note(.none, of: socket) }
            } catch {
                try? await loop.sleep(for: backoff.next())
            }
        }
    }

    private func refreshed(_ socket: MeSocket, _ start: MeStart) {
        socket.note(settings: start.reply.settings)
        me.presence.changed(socket)
        enter(socket, start)
        for room in start.rooms { note(room.workspace, of: room.room) }
        let (found, unavailable) = (start.machineRooms, unavailable(in: start, to: socket))
        socket.handle { $0.refreshed(found, without: unavailable) }
        // The drivers of rooms that the user has gained.
        for room in start.rooms { note(room.workspace, of: room.room) }
    }
}
