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
    let loop: EventLoop
    let outside: FeedSurroundings
    let admission: Admission
    let positions: PositionWriter
    private(set) var feeds: [RoomID: RoomFeed] = [:]
    var accessChanges = AccessChanges()
    /// Bounds how many rooms at once ask who may be in them.
    let turns = Turns(16)
    /// Bounds how many sockets at once ask whether they may enter. When all come back together the others wait: the shipped
    /// clients do not ask a second time.
    let admissions = Turns(64)
    /// Kept by the sockets themselves.
    var count = SocketCensus.Count()
    private var clients: [SessionID: [ObjectIdentifier: SocketIOClient]] = [:]
    private var membersBySession: [SessionID: [RoomMember]] = [:]
    private var presence: Presence?
    private var memberCount: UInt64 = 0

    /// How long a socket waits for the position that its history reply tells.
    private static let positionPatience = Duration.seconds(1)
    private static let pauseBeforeRetry = Duration.milliseconds(500)
    private static let renewal = Duration.seconds(20 * 60)

    init(on loop: EventLoop, _ outside: FeedSurroundings, admission: Admission) {
        self.loop = loop
        self.outside = outside
        self.admission = admission
        positions = PositionWriter(on: loop, store: outside.positions)
    }

    // MARK: Sockets

    /// Tells how many sockets there are, now and every few seconds.
    func report(to census: SocketCensus) {
        census.note(count, ofLoop: loop.index)
        loop.schedule(after: SocketCensus.interval) { [weak self] in self?.report(to: census) }
    }

    /// A session has opened a socket; one that was revoked meanwhile loses it again.
    func add(_ client: SocketIOClient, of session: SessionID) {
        clients[session, default: [:]][ObjectIdentifier(client)] = client
        if admission.isRevoked(session) { loop.atEndOfTick { client.engine.close() } }
    }

    func remove(_ client: SocketIOClient, of session: SessionID) {
        clients[session]?[ObjectIdentifier(client)] = nil
        if clients[session]?.isEmpty == true { clients[session] = nil }
    }

    /// Closes the sockets of a session that has ended; nothing more goes to them.
    func revoke(_ session: SessionID) {
        for member in membersBySession[session] ?? [] { member.phase = .onlooker }
        for client in clients[session].map({ Array($0.values) }) ?? [] { client.engine.close() }
    }

    // MARK: Rooms

    /// A name for a socket in a room that no other has.
    func nextLiveName() -> String {
        memberCount += 1
        return "\(positions.feed)/\(memberCount)"
    }

    /// Lets a socket into a room. Events wait until its position is known, or a second has passed.
    func join(_ member: RoomMember, _ room: RoomID) {
        let feed = feeds[room] ?? open(room)
        feed.add(member)
        if let user = member.identity.user { presence?.enter([user], room, at: positions.feed) }
        if let session = member.identity.session { membersBySession[session, default: []].append(member) }
        if member.phase == .waiting { awaitPosition(of: member, feed) }
    }

    func leave(_ member: RoomMember, _ room: RoomID) {
        if let session = member.identity.session {
            membersBySession[session]?.removeAll { $0 === member }
            if membersBySession[session]?.isEmpty == true { membersBySession[session] = nil }
            if member.isCautious && (member.claim != .none || member.isBeingBrought) { release(member, session, room) }
        }
        guard let feed = feeds[room] else { return }
        feed.remove(member)
        if let user = member.identity.user, !feed.has(user) {
            presence?.leave(user, room, at: positions.feed)
        }
        guard feed.members.isEmpty else { return }
        feed.close()
        feeds[room] = nil
    }

    func release(_ member: RoomMember, _ session: SessionID, _ room: RoomID) {
        positions.release(
            SessionCursors.Leaving(session: session, room: room, seq: member.reached, live: member.live))
    }

    private func open(_ room: RoomID) -> RoomFeed {
        let feed = RoomFeed(room, on: loop, outside, hub: self)
        feeds[room] = feed
        feed.open()
        return feed
    }

    /// A client that fetches history right after it has connected would get twice what its socket brings before; so what is
    /// known from before this socket counts at once only where getting it twice does no harm, or history has just told it.
    func awaitPosition(of member: RoomMember, _ feed: RoomFeed) {
        guard let session = member.identity.session else { return feed.bring(member, from: nil) }
        Task.immediate(executorPreference: loop) { [self] in
            let began = loop.now
            while member.phase == .waiting, feed.contains(member) {
                guard let known = await find(session, feed.room) else {
                    // Without Redis nothing is live.
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                    continue
                }
                let position = known.position
                if !member.isCautious && position != nil || position?.isFresh == true {
                    return bring(member, feed, from: position?.seq)
                }
                let waited = Duration.nanoseconds(Int64(loop.now - began))
                if waited < Self.positionPatience {
                    try? await loop.sleep(for: Self.positionPatience - waited)
                    // A hint may have been lost: what was told meanwhile stands in Redis.
                    continue
                }
                // Redis may have been out of reach for whoever answered with history.
                if let told = try? await outside.chat.historyCursor(of: session, in: feed.room) {
                    let seq = max(position?.seq ?? 0, told)
                    return bring(member, feed, from: seq == 0 ? position?.seq : seq)
                }
                try? await loop.sleep(for: Self.pauseBeforeRetry)
            }
        }
    }

    private func bring(_ member: RoomMember, _ feed: RoomFeed, from position: Int64?) {
        if member.phase == .waiting { feed.bring(member, from: position) }
    }

    /// Nil where Redis does not answer.
    private func find(_ session: SessionID, _ room: RoomID) async -> (position: PositionStore.Known?, Void)? {
        do { return (try await outside.positions.find(session, room), ()) } catch { return nil }
    }

    /// A history reply of the session held everything up to `seq`.
    func historyTold(_ session: SessionID, _ room: RoomID, _ seq: Int64) {
        guard let feed = feeds[room] else { return }
        for member in membersBySession[session] ?? [] where member.namespace == Namespace.name(of: room) {
            switch member.phase {
            case .waiting: feed.bring(member, from: seq)
            // Who reads a channel's history joins it, unless they were removed since.
            case .onlooker:
                member.move(to: seq)
                recheck(member, in: feed)
            case .catchingUp, .live: member.move(to: seq)
            }
        }
    }

    /// A socket has everything up to `seq`. Of one that must not be sent anything twice it does not matter.
    func confirmed(_ seq: Int64, by member: RoomMember, in room: RoomID) {
        guard let session = member.identity.session, !member.isCautious else { return }
        Task.immediate(executorPreference: loop) { [outside] in await outside.positions.confirm(session, room, seq) }
    }

    // MARK: Presence and positions over time

    /// Tells who is in the rooms here from now on, and again before it is forgotten.
    func showPresence(_ presence: Presence) {
        self.presence = presence
        for (room, feed) in feeds {
            presence.enter(feed.users, room, at: positions.feed)
        }
        loop.schedule(after: presence.times.renewal) { [weak self] in self?.showPresence(presence) }
    }

    /// Writes all positions again before they are forgotten, from now on.
    func keepPositions() {
        rewritePositions()
        loop.schedule(after: Self.renewal) { [weak self] in self?.keepPositions() }
    }

    /// Writes all positions again: their time runs anew, and a Redis that has lost them has them back.
    func rewritePositions() {
        Task.immediate(executorPreference: loop) { [self] in
            for feed in feeds.values { await feed.rewritePositions() }
        }
    }
}
