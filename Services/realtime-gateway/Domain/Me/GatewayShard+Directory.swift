import Contract
import EngineIO
import EventLoop
import SocketIO
import Wire

/// Tells `/me` sockets of changes of workspaces, channels, members and profiles.
extension GatewayShard {
    private static let firstLookUpPause = Duration.milliseconds(250)
    private static let longestLookUpPause = Duration.seconds(5)

    /// A client has been told of a change of its access.
    func accessTold(_ event: MeEvent, to socket: MeSocket) {
        switch event {
        case .joined: me.badges.changed(socket.user)
        case .left:
            me.badges.changed(socket.user)
            let known = socket.rooms.map { rooms[$0]?.workspace }
            // A room that still waits to be entered may be in any workspace.
            if known.contains(nil) { return refresh(socket) }
            // Every member of a workspace is in its default channel, so one without a room there is gone.
            let left = me.workspaces(of: socket).subtracting(known.compactMap(\.self))
                .subtracting(me.unavailable(of: socket))
            for workspace in left { me.remove(socket, from: workspace) }
        default: break
        }
    }

    func directoryChanged(_ hint: DirectoryHint) {
        if me.isEmpty { return }
        switch hint.subject {
        case .workspace(let view):
            tell(.workspace(hint.change, hint.workspace, view), me.sockets(in: hint.workspace))
        case .channel(let channel, let view):
            let event = MeDirectoryEvent.room(hint.change, hint.workspace, channel, view)
            let isPublic = view?.isPrivate != true
            tell(
                event,
                me.sockets(in: hint.workspace).filter {
                    $0.isIn(RoomID(channel)) || isPublic && me.sees(hint.workspace, $0)
                })
        case .member(let user, let channel): memberChanged(hint.change, hint.workspace, channel, user)
        }
    }

    /// The members of a channel, or of the workspace, are told; the user's own devices are told of the workspace.
    private func memberChanged(
        _ change: DirectoryHint.Change, _ workspace: WorkspaceID, _ channel: ChannelID?, _ user: UserID
    ) {
        if channel == nil { tell(.workspace(change, workspace, nil), me.sockets(of: user)) }
        var sockets = me.sockets(in: workspace).filter { socket in
            socket.user != user && channel.map { socket.isIn(RoomID($0)) } ?? true
        }
        if channel == nil { sockets = tellGuests(of: workspace, among: sockets) }
        if sockets.isEmpty { return }
        // A look-up may wait for long: it keeps no list of sockets. Nothing of a room comes after `left`, which some may be told
        // meanwhile.
        me.lookUps.add(user) { [self] in
            // Without a profile the event would be that of a deleted account.
            guard let found = await lookUp({ try await context.me.auth.profiles(of: [user]) }) else { return }
            let present = hearers(of: workspace, channel).filter { $0.user != user }
            tell(.member(change, workspace, channel, user, found.first?.member), present)
        }
    }

    /// Asks again until a service answers. Giving up would lose the event. Telling all clients to read their workspaces
    /// again would not help, because they cannot before the service is back. Nil once nobody listens.
    private func lookUp<Value>(_ ask: () async throws -> Value) async -> Value? {
        var backoff = Backoff(first: Self.firstLookUpPause, limit: Self.longestLookUpPause)
        while !me.isEmpty {
            if let found = try? await ask() { return found }
            do { try await loop.sleep(for: backoff.next()) } catch { return nil }
        }
        return nil
    }

    /// The sockets that are told of the members of a workspace, or of one of its channels.
    private func hearers(of workspace: WorkspaceID, _ channel: ChannelID?) -> [MeSocket] {
        me.sockets(in: workspace).filter { socket in
            channel.map { socket.isIn(RoomID($0)) } ?? me.sees(workspace, socket)
        }
    }

    /// Guests see only the members of their channels: they read the workspace again.
    ///
    /// - Returns: the other sockets.
    private func tellGuests(of workspace: WorkspaceID, among sockets: [MeSocket]) -> [MeSocket] {
        tell(.workspace(.edited, workspace, nil), sockets.filter { !me.sees(workspace, $0) })
        return sockets.filter { me.sees(workspace, $0) }
    }

    /// A profile has changed: the members of the user's workspaces are told, and the user's own devices. Nothing else would bring them
    /// the new name, so a look-up that fails is repeated.
    func profileChanged(_ user: UserID) {
        // The summaries of a start have names.
        context.me.starts.changed(in: nil)
        if me.isEmpty { return }
        me.lookUps.add(user) { [self] in
            guard let found = await lookUp({ try await profile(of: user) }) else { return }
            tell(found.view, of: user, in: found.workspaces)
        }
    }

    /// A profile, nil for a deleted account, and the workspaces of its user.
    private func profile(of user: UserID) async throws -> (view: MemberView?, workspaces: Set<WorkspaceID>) {
        let channels = try await context.me.workspaces.channels(of: user)
        let profiles = try await context.me.auth.profiles(of: [user])
        return (profiles.first?.member, Set(channels.map(\.workspace)))
    }

    private func tell(_ view: MemberView?, of user: UserID, in workspaces: Set<WorkspaceID>) {
        var sockets: [MemberID: MeSocket] = [:]
        for workspace in workspaces {
            let others = me.sockets(in: workspace).filter { $0.user != user }
            for socket in tellGuests(of: workspace, among: others) { sockets[socket.id] = socket }
        }
        for socket in me.sockets(of: user) { sockets[socket.id] = socket }
        tell(.profile(user, view), Array(sockets.values))
    }

    /// Events may have been missed: clients read their workspaces again.
    func directoryUnknown() {
        for socket in me.all where socket.isReady {
            for workspace in me.workspaces(of: socket) {
                socket.send(.directory(.workspace(.edited, workspace, nil)))
            }
        }
    }

    /// Sends an event to sockets; it is rendered once for all of a client profile.
    private func tell(_ event: MeDirectoryEvent, _ sockets: [MeSocket]) {
        var packets: [String: SharedPacket] = [:]
        for socket in sockets where socket.isReady && !socket.isEnded {
            let name = socket.profile.name
            let packet = packets[name] ?? SharedPacket(MeEvent.directory(event).packet(for: socket.profile))
            packets[name] = packet
            socket.engine.send(packet)
        }
    }
}
