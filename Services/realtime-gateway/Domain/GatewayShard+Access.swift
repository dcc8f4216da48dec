import Contract
import EventLoop
import Wire

/// Checks the access of members again when something has changed.
extension GatewayShard {
    private static let fewMembers = 16
    private static let pauseBeforeRetry = Duration.milliseconds(500)

    /// Something has changed in a workspace, in one of its channels, or for one user.
    func accessChanged(user: UserID?, channel: ChannelID?, workspace: WorkspaceID?) {
        accessChanges.note(user)
        if let workspace { context.me.starts.changed(in: workspace) }
        if channel == nil { me.presence.accessChanged(of: user) }
        if let user { meAccessChanged(of: user, room: channel.map { RoomID($0) }) }
        for room in rooms.values where concerns(room, channel, workspace) {
            if let user {
                for member in room.members where member.user == user { recheck(member.id, in: room) }
            } else {
                recheckAllUntilDone(in: room)
            }
        }
    }

    /// Changes may have been missed, so every member is checked. Rooms that know their head notice it by themselves.
    func accessUnknown() {
        accessChanges.note(nil)
        me.presence.accessChanged(of: nil)
        meAccessUnknown()
        for room in rooms.values where !room.isHeadKnown { recheckAllUntilDone(in: room) }
    }

    /// A `/me` socket's start names the workspace of a room.
    func note(_ workspace: WorkspaceID, of room: RoomID) { rooms[room]?.workspace = workspace }

    private func concerns(_ room: RoomDriver, _ channel: ChannelID?, _ workspace: WorkspaceID?) -> Bool {
        if let channel { return room.room.channel == channel }
        return workspace == nil || room.workspace == nil || room.workspace == workspace
    }

    private func recheckAllUntilDone(in room: RoomDriver) {
        Task.immediate(executorPreference: loop) { [self] in
            while !room.isClosed {
                do { return try await recheckAll(in: room) } catch { try? await loop.sleep(for: Self.pauseBeforeRetry) }
            }
        }
    }

    /// Checks every member of a room; returns when all have been checked.
    func recheckAll(in room: RoomDriver) async throws {
        try await limits.rechecks.run {
            var known: Set<UserID> = []
            if let channel = room.room.channel, room.count > Self.fewMembers {
                known.formUnion(try await admission.workspaces.allMembers(of: channel))
            }
            for member in room.members where room.contains(member.id) {
                let isKnown = known.contains(member.user) && !member.isObserving
                if !isKnown { settle(member.id, in: room, try await standing(of: member.user, in: room.room)) }
            }
        }
    }

    /// Checks one member; while nobody answers, nothing goes to it.
    func recheck(_ id: MemberID, in room: RoomDriver) {
        guard let user = room.endpoint(id)?.user else { return }
        Task.immediate(executorPreference: loop) { [self] in
            while room.contains(id) {
                do {
                    return settle(id, in: room, try await standing(of: user, in: room.room))
                } catch {
                    room.handle { machine, _ in machine.accessUnknown(id) }
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                }
            }
        }
    }

    /// The user's right in the room, as of the last known change.
    func standing(of user: UserID, in room: RoomID) async throws -> Admission.Standing? {
        while true {
            let mark = accessChanges.mark(of: user)
            let standing = try await admission.standing(of: user, in: room)
            if mark == accessChanges.mark(of: user) { return standing }
        }
    }

    private func settle(_ id: MemberID, in room: RoomDriver, _ standing: Admission.Standing?) {
        // A `/me` socket hears only the rooms that its user is a member of.
        guard let standing, standing.isMember || room.socket(id) != nil else {
            return room.handle { $0.putOut(id, &$1) }
        }
        room.workspace = standing.workspace
        room.handle { $0.accessChecked(id, isMember: standing.isMember, &$1) }
    }
}
