import Contract
import EngineIO
import EventLoop
import Redis
import ServiceKit
import Telemetry
import WebSocket
import Wire

/// A room on one loop: hands events to its `RoomMachine`, and performs the actions.
///
/// An event that comes while actions are performed, such as the end of a socket, waits until they are done.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class RoomDriver: @unchecked Sendable {
    typealias Event = (inout RoomMachine<EngineSocket>, inout [RoomAction]) -> Void

    let room: RoomID
    unowned let shard: GatewayShard
    /// Known once somebody was let in.
    var workspace: WorkspaceID?
    private(set) var machine = RoomMachine<EngineSocket>()
    /// Those of the room's own namespace. A `/me` socket is in many rooms, so its shard keeps it.
    private var sockets: [MemberID: RoomSocket] = [:]
    /// Whether a `/me` socket has been here, so that messages may change badges.
    private(set) var hasKnownDevices = false
    private var waiting: [Event] = []
    private var isPerforming = false
    private var subscription: RedisSubscription?
    private var pacer = FanOutPacer()
    /// How many messages are fetched at once.
    var pageSize = RoomDriver.largestPage
    private(set) var isClosed = false

    /// After this time without an answer from Redis, joins go on without it.
    private static let subscriptionTimeout = Duration.seconds(1)
    static let largestPage = 100

    init(_ room: RoomID, of shard: GatewayShard) {
        self.room = room
        self.shard = shard
    }

    var loop: EventLoop { shard.loop }
    var context: ShardContext { shard.context }

    /// Subscribes to the room's events.
    func open() {
        subscription = context.subscriber.listen(toRoom: room, on: loop) { [weak self] event in
            switch event {
            case .message(.typing(_, let user, let thread)): self?.tellTyping(user, in: thread)
            case .message(.read(let read)): self?.tellRead(read)
            case .message(let event): self?.handle { $0.published(event, &$1) }
            // The head is fetched only now, because every later message arrives.
            case .confirmed: self?.handle { $0.subscribed(&$1) }
            case .gap: self?.heardAgain()
            case .lost: break
            }
        }
        loop.schedule(after: Self.subscriptionTimeout) { [weak self] in
            self?.handle { $0.subscriptionDelayed(&$1) }
        }
    }

    private func close() {
        isClosed = true
        subscription?.cancel()
        shard.close(self)
    }

    // MARK: Events

    /// Hands the machine an event, and performs the actions.
    func handle(_ event: @escaping Event) {
        if isClosed { return }
        waiting.append(event)
        if isPerforming { return }
        isPerforming = true
        var next = 0
        while next < waiting.count {
            var actions: [RoomAction] = []
            waiting[next](&machine, &actions)
            next += 1
            var index = 0
            while index < actions.count {
                perform(actions[index], &actions)
                index += 1
            }
        }
        waiting.removeAll(keepingCapacity: next < 64)
        isPerforming = false
        if machine.roster.isEmpty { close() }
    }

    func join(_ socket: RoomSocket, isMember: Bool) {
        let profile = socket.identity.profile
        sockets[socket.id] = socket
        let member = RoomMember(
            id: socket.id, user: socket.identity.user, session: socket.identity.session,
            form: EventForm(profile.form), echo: profile.echo, repeatedEvent: profile.repeatedEvent,
            socket: socket.engine, isMember: isMember)
        handle { $0.join(member, &$1) }
    }

    /// Lets a `/me` socket of a member into the room.
    ///
    /// - Parameters:
    ///   - start: how far its client has the room; nil to begin at the present.
    ///   - head: the room's head by chat-service, if it was asked for.
    func join(_ socket: MeSocket, after start: RoomHead?, head: RoomHead?) {
        hasKnownDevices = true
        let member = RoomMember(me: socket.id, user: socket.user, socket: socket.engine, after: start?.seq)
        handle { machine, actions in
            machine.join(member, changesAfter: start?.rev, &actions)
            // The head may show that an event was lost. While it is not known here, an older one must not take its place.
            guard let head, machine.head != nil else { return }
            machine.revisionReported(head.rev, &actions)
            machine.headReported(head.seq, &actions)
        }
    }

    func leave(_ id: MemberID) {
        // The socket may end while the machine, which only one may use at a time, sends to it.
        handle { [self] machine, actions in
            if let session = socket(id)?.identity.session, case .confirmed(let seq)? = machine.rewrite(id) {
                shard.cursors.left(session, room, confirmed: seq)
            }
            machine.leave(id, &actions)
        }
        // The release of its cursor needs it.
        if isPerforming { handle { [self] _, _ in sockets[id] = nil } } else { sockets[id] = nil }
    }

    // MARK: Reading

    /// The users with a socket here.
    var users: some Collection<UserID> { machine.roster.users }
    var count: Int { machine.roster.count }
    var ids: [MemberID] { machine.roster.ids }
    var isHeadKnown: Bool { machine.head != nil }

    func endpoint(_ id: MemberID) -> RoomEndpoint? {
        sockets[id].map(RoomEndpoint.namespace) ?? shard.me.socket(id).map(RoomEndpoint.me)
    }

    /// The socket of a member that has a session cursor: none for `/me` sockets.
    func socket(_ id: MemberID) -> RoomSocket? { sockets[id] }

    /// The live `/me` sockets of the users that `isMeant` accepts.
    func meSockets(of isMeant: (UserID) -> Bool) -> [EngineSocket] {
        machine.recheck.isPending
            ? []
            : machine.roster.members.compactMap { member in
                guard member.form == .me, case .live = member.phase, let user = member.user else { return nil }
                return isMeant(user) ? member.socket : nil
            }
    }

    /// The users with a `/me` socket here.
    var meUsers: [UserID] { machine.roster.members.compactMap { $0.form == .me ? $0.user : nil } }

    func contains(_ id: MemberID) -> Bool { machine.roster.index(of: id) != nil }

    func isLastRecheck(_ number: UInt64) -> Bool { machine.isLastRecheck(number) }

    /// The members with a user, and whether they only observe.
    var members: [(id: MemberID, user: UserID, isObserving: Bool)] {
        machine.roster.members.compactMap { member in
            guard let user = member.user else { return nil }
            let isObserving = if case .observing = member.phase { true } else { false }
            return (member.id, user, isObserving)
        }
    }

    var recentVersion: UInt64 { machine.recent.version }

    func broadcast(_ message: RoomMessage, _ actions: inout [RoomAction]) {
        pace()
        let span = context.metrics.beginDelivery(of: message)
        var rendered = RenderedMessage(message, compressingIn: context.rendering.compression.current)
        let profiles = context.rendering.profiles
        let blockers = shard.blocks.blockers(of: message.body.author.id)
        let count = machine.broadcast(message, blockedBy: blockers, &actions) { engine, variant in
            guard SocketBackpressure.hasRoom(in: engine) else { return false }
            guard let packet = rendered.packet(for: variant, profiles) else { return true }
            engine.send(packet)
            return true
        }
        if hasKnownDevices { shard.me.badges.changed(room) }
        context.metrics.delivered(message, to: count)
        if let span { end(span, sockets: count) }
    }

    /// Ends the span of a delivery once the sockets' bytes have left in this turn.
    private func end(_ span: OpenSpan, sockets: UInt64) {
        var span = span
        span.span.set("maru.sockets", .number(Int64(sockets)))
        loop.executeAtEndOfTurn { [span] in span.end() }
    }

    func machineBroadcast(
        _ change: RoomChange, _ actions: inout [RoomAction], _ send: (EngineSocket, EventVariant) -> Bool
    ) -> UInt64 {
        let blockers = shard.blocks.blockers(of: change.message.body.author.id)
        return machine.broadcastChange(change, blockedBy: blockers, &actions, send)
    }

    /// Queues missed messages for one socket.
    func send(_ messages: [RoomMessage], to id: MemberID) {
        guard let socket = endpoint(id) else { return }
        for message in messages {
            var rendered = RenderedMessage(message, compressingIn: nil)
            let isBlocked = shard.blocks.isBlocked(message.body.author.id, for: socket.user)
            socket.send(
                rendered.packet(for: socket.form, socket.profile, isBlocked: isBlocked), seq: message.body.seq)
            context.metrics.deliveries.increment()
        }
        socket.engine.flush()
        socket.drained()
    }

    /// In a full room, holds further messages for a while once this one has left.
    private func pace() {
        guard count >= FanOutPacer.crowd, pacer.begin(now: EventLoop.preciseNow) else { return }
        loop.executeAtEndOfTurn { [self] in
            guard let pause = pacer.finish(now: EventLoop.preciseNow) else { return }
            handle { machine, _ in machine.pause() }
            loop.schedule(after: pause) { [weak self] in
                guard let self else { return }
                pacer.resume(gathered: machine.heldCount)
                handle { $0.resume(&$1) }
            }
        }
    }

    // MARK: Cursors over time

    /// Writes the room's reservation again.
    func reserveAgain() { handle { machine, actions in machine.reserveAgain(&actions) } }

    /// The cursor of a socket, to be written again; nil if Redis does not know it yet.
    func knownCursor(of id: MemberID) -> SessionCursors.Known? {
        guard let socket = socket(id), let session = socket.identity.session, let write = machine.rewrite(id)
        else { return nil }
        return switch write {
        case .confirmed(let seq): .confirmed(session, room, seq: seq)
        case .claim: record(of: write, socket).map(SessionCursors.Known.socket)
        }
    }
}
