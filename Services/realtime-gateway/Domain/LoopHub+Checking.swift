import Contract
import EventLoop
import Wire

/// Who was let in is looked at again when something has changed.
extension LoopHub {
    private static let fewMembers = 16
    private static let pauseBeforeRetry = Duration.milliseconds(500)

    /// Something has changed in a workspace, in one of its channels, or for one user.
    func accessChanged(user: UserID?, channel: ChannelID?, workspace: WorkspaceID?) {
        accessChanges.note(user)
        for feed in feeds.values where concerns(feed, channel, workspace) {
            if let user {
                for member in feed.members.values where member.identity.user == user { recheck(member, in: feed) }
            } else {
                verifyLater(feed)
            }
        }
    }

    /// What has changed meanwhile is not known: everybody is looked at again, by the rooms that have heard of it themselves.
    func accessUnknown() {
        accessChanges.note(nil)
        for feed in feeds.values where feed.present == nil { verifyLater(feed) }
    }

    private func concerns(_ feed: RoomFeed, _ channel: ChannelID?, _ workspace: WorkspaceID?) -> Bool {
        if let channel { return feed.room.channel == channel }
        return workspace == nil || feed.workspace == nil || feed.workspace == workspace
    }

    private func verifyLater(_ feed: RoomFeed) {
        Task.immediate(executorPreference: loop) { [self] in
            while feeds[feed.room] === feed {
                do { return try await verify(feed) } catch { try? await loop.sleep(for: Self.pauseBeforeRetry) }
            }
        }
    }

    /// Looks at every member of a room; returns when all have been.
    func verify(_ feed: RoomFeed) async throws {
        try await turns.run {
            var known: Set<UserID> = []
            if let channel = feed.room.channel, feed.members.count > Self.fewMembers {
                var after: UserID?
                repeat {
                    let page = try await admission.workspaces.members(of: channel, after: after)
                    known.formUnion(page.users)
                    after = page.next
                } while after != nil
            }
            for member in feed.members.values {
                guard let user = member.identity.user, feed.contains(member) else { continue }
                let isKnown = known.contains(user) && member.phase != .onlooker
                if !isKnown { settle(member, in: feed, try await standing(of: user, in: feed.room)) }
            }
        }
    }

    /// Looks at one member; while nobody answers, nothing goes to them.
    func recheck(_ member: RoomMember, in feed: RoomFeed) {
        guard let user = member.identity.user else { return }
        Task.immediate(executorPreference: loop) { [self] in
            while feed.contains(member) {
                do {
                    return settle(member, in: feed, try await standing(of: user, in: feed.room))
                } catch {
                    if member.phase != .onlooker { member.interrupted = member.phase }
                    member.phase = .onlooker
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                }
            }
        }
    }

    /// What the user is to the room, as it was after the last change that was heard of.
    func standing(of user: UserID, in room: RoomID) async throws -> Admission.Standing? {
        while true {
            let mark = accessChanges.mark(of: user)
            let standing = try await admission.standing(of: user, in: room)
            if mark == accessChanges.mark(of: user) { return standing }
        }
    }

    private func settle(_ member: RoomMember, in feed: RoomFeed, _ standing: Admission.Standing?) {
        guard feed.contains(member) else { return }
        guard let standing else { return member.putOut() }
        feed.workspace = standing.workspace
        let interrupted = member.interrupted
        member.interrupted = nil
        switch (standing.isMember, member.phase) {
        case (false, _): member.phase = .onlooker
        case (true, .onlooker) where member.position > 0: feed.bring(member, from: member.position)
        // They go on where they were, be that the beginning of the room.
        case (true, .onlooker) where interrupted == .live || interrupted == .catchingUp: feed.catchUp(member)
        case (true, .onlooker):
            // They enter only now, unless they were waiting already.
            if interrupted == nil { member.entry = feed.present }
            member.phase = .waiting
            awaitPosition(of: member, feed)
        case (true, _): break
        }
    }
}
