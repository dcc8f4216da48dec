import Contract
import EventLoop
import ServiceKit
import Wire

/// Checks the access of members again when something has changed.
extension GatewayShard {
    private static let fewMembers = 16
    private static let pauseBeforeRetry = Duration.milliseconds(500)

    /// Something has changed in a workspace, in one of its channels, or for one user.
    func accessChanged(_ hint: AccessHint) {
        let (workspace, room) = (hint.workspace, hint.channel.map { RoomID($0) })
        context.me.starts.changed(in: workspace)
        if let user = hint.user {
            accessChanges.note(user)
            meAccessChanged(of: user, room: room)
        } else {
            accessChanges.note(in: workspace)
            meAccessChanged(in: workspace, room: room)
        }
        if room == nil {
            me.presence.accessChanged(of: hint.user, for: me.sockets(in: workspace))
        } else {
            me.presence.channelChanged(of: hint.user, for: guests(of: workspace, and: hint.user))
        }
        for driver in rooms.values {
            guard room.map({ driver.room == $0 }) ?? (driver.workspace ?? workspace == workspace) else { continue }
            if let user = hint.user {
                for member in driver.members where member.user == user { recheck(member.id, in: driver) }
            } else {
                recheckAllUntilDone(in: driver)
            }
        }
    }

    /// The `/me` sockets of guests of a workspace. A user's own are among them although their last room there is gone already.
    private func guests(of workspace: WorkspaceID, and user: UserID?) -> [MeSocket] {
        let own = user.map { me.sockets(of: $0) } ?? []
        let gone = own.filter { !me.workspaces(of: $0).contains(workspace) }
        return (me.sockets(in: workspace) + gone).filter { !me.sees(workspace, $0) }
    }

    /// Changes may have been missed, so every member is checked. Rooms that know their head notice it by themselves.
    func accessUnknown() {
        accessChanges.note(nil)
        me.presence.accessUnknown()
        meAccessUnknown()
        for room in rooms.values where !room.isHeadKnown { recheckAllUntilDone(in: room) }
    }

    /// A `/me` socket's start names the workspace of a room.
    func note(_ workspace: WorkspaceID, of room: RoomID) { rooms[room]?.workspace = workspace }

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
            let workspaces = standing.map { [$0.workspace] } ?? []
            if accessChanges.holds(mark, of: user, in: workspaces) { return standing }
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
