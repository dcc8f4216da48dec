import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import Wire

/// Everything of the gateway that is on one loop: the rooms with sockets here, and the sockets by session.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop, as every value of a `LoopLocal`.
final class LoopHub: @unchecked Sendable {
    private let loop: EventLoop
    private let outside: FeedSurroundings
    private let positions: PositionStore
    private var feeds: [RoomID: RoomFeed] = [:]
    private var clients: [SessionID: [ObjectIdentifier: SocketIOClient]] = [:]
    private var membersBySession: [SessionID: [RoomMember]] = [:]
    private var isFlushDue = false
    private var presence: Presence?

    /// How long a socket waits for the position that its history reply tells.
    private static let positionPatience = Duration.seconds(1)
    private static let flushInterval = Duration.milliseconds(200)

    init(on loop: EventLoop, _ outside: FeedSurroundings, positions: PositionStore) {
        self.loop = loop
        self.outside = outside
        self.positions = positions
    }

    // MARK: Sockets

    func add(_ client: SocketIOClient, of session: SessionID) {
        clients[session, default: [:]][ObjectIdentifier(client)] = client
    }

    func remove(_ client: SocketIOClient, of session: SessionID) {
        clients[session]?[ObjectIdentifier(client)] = nil
        if clients[session]?.isEmpty == true { clients[session] = nil }
    }

    /// Closes the sockets of a session that has ended.
    func revoke(_ session: SessionID) {
        for client in clients[session].map({ Array($0.values) }) ?? [] { client.engine.close() }
    }

    // MARK: Rooms

    /// Lets a socket into a room. Events wait until its position is known, or a second has passed.
    func join(_ member: RoomMember, _ room: RoomID) {
        let feed = feeds[room] ?? open(room)
        feed.add(member)
        presence?.enter([member.identity.user], room)
        membersBySession[member.identity.session, default: []].append(member)
        if member.phase == .waiting { awaitPosition(of: member, feed) }
    }

    func leave(_ member: RoomMember, _ room: RoomID) {
        flush(member, room)
        membersBySession[member.identity.session]?.removeAll { $0 === member }
        if membersBySession[member.identity.session]?.isEmpty == true {
            membersBySession[member.identity.session] = nil
        }
        guard let feed = feeds[room] else { return }
        feed.remove(member)
        let user = member.identity.user
        if !feed.members.values.contains(where: { $0.identity.user == user }) { presence?.leave(user, room) }
        guard feed.members.isEmpty else { return }
        feed.close()
        feeds[room] = nil
    }

    private func open(_ room: RoomID) -> RoomFeed {
        let feed = RoomFeed(room, on: loop, outside)
        feeds[room] = feed
        feed.open()
        return feed
    }

    private func awaitPosition(of member: RoomMember, _ feed: RoomFeed) {
        let room = feed.room
        Task.immediate(executorPreference: loop) { [self] in
            let known = await positions.find(member.identity.session, room)
            guard member.phase == .waiting else { return }
            if let known { return feed.bring(member, from: known) }
            loop.schedule(after: Self.positionPatience) {
                if member.phase == .waiting { feed.bring(member, from: nil) }
            }
        }
    }

    /// A history reply of the session held everything up to `seq`.
    func historyTold(_ session: SessionID, _ room: RoomID, _ seq: Int64) {
        guard let feed = feeds[room] else { return }
        for member in membersBySession[session] ?? [] where member.namespace == Namespace.name(of: room) {
            switch member.phase {
            // Who reads a channel's history joins it.
            case .onlooker, .waiting: feed.bring(member, from: seq)
            case .catchingUp, .live: member.move(to: seq)
            }
        }
    }

    /// Something has changed in a workspace, or for one user: those concerned are looked at again.
    func recheck(user: UserID?, channel: ChannelID?, _ admission: Admission) {
        for feed in feeds.values where feed.room.kind == .channel && (channel == nil || feed.room.channel == channel) {
            for member in feed.members.values where user == nil || member.identity.user == user {
                recheck(member, feed, admission)
            }
        }
    }

    private func recheck(_ member: RoomMember, _ feed: RoomFeed, _ admission: Admission) {
        Task.immediate(executorPreference: loop) { [self] in
            guard let standing = try? await admission.standing(of: member.identity.user, in: feed.room) else {
                member.phase = .onlooker
                return member.client.disconnect(member.namespace)
            }
            switch (standing, member.phase) {
            case (.onlooker, _): member.phase = .onlooker
            case (.member, .onlooker):
                member.phase = .waiting
                awaitPosition(of: member, feed)
            case (.member, _): break
            }
        }
    }

    // MARK: Presence

    /// Tells who is in the rooms here from now on, and again before it is forgotten.
    func showPresence(_ presence: Presence) {
        self.presence = presence
        for (room, feed) in feeds { presence.enter(Set(feed.members.values.map(\.identity.user)), room) }
        loop.schedule(after: Presence.renewal) { [weak self] in self?.showPresence(presence) }
    }

    // MARK: Positions

    /// Writes down where the sockets are, now and again, so that another node can go on from there.
    func scheduleFlush() {
        guard !isFlushDue else { return }
        isFlushDue = true
        loop.schedule(after: Self.flushInterval) { [weak self] in
            guard let self else { return }
            isFlushDue = false
            flushAll()
            scheduleFlush()
        }
    }

    func flushAll() {
        for feed in feeds.values {
            for member in feed.members.values { flush(member, feed.room) }
        }
    }

    private func flush(_ member: RoomMember, _ room: RoomID) {
        guard member.isPositionDirty else { return }
        member.isPositionDirty = false
        positions.put(member.identity.session, room, member.position)
    }
}
