import Contract
import EngineIO
import EventLoop
import ServiceKit
import SocketIO
import Wire

/// A device's `/me` socket: performs the actions of its `MeMachine`.
///
/// An event that comes while actions are performed waits until they are done: entering a room may bring answers of the room
/// at once.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class MeSocket: @unchecked Sendable {
    typealias Event = (inout MeMachine) -> [MeMachine.Action]

    let id: MemberID
    let caller: Caller
    let profile: ClientProfile
    let client: SocketIOClient
    let backpressure: SocketBackpressure
    private unowned let shard: GatewayShard
    private var machine = MeMachine()
    private var events: (waiting: [Event], isPerforming: Bool) = ([], false)
    /// The start of the socket, until `ready` has been sent.
    private var start: MyRoomsReply?
    private(set) var isEnded = false
    private(set) lazy var calls = MeCalls(of: self, shard)
    /// The state of the user that others see, the last badge, and the read markers of the start.
    private(set) var own = OwnState()

    struct OwnState {
        /// Whether others see that the user is typing.
        fileprivate(set) var sharesTyping = true
        /// Whether others see that the user is online.
        fileprivate(set) var sharesPresence = true
        /// Whether the client says that its user is away.
        fileprivate(set) var isAway = false
        fileprivate(set) var badge: MeBadge?
        /// See `MeStart.readMoves`.
        fileprivate(set) var readMoves: Int64?

        var presence: PresenceState { sharesPresence ? isAway ? .away : .online : .offline }
    }

    /// A socket with more waiting bytes is sent no ephemeral events.
    static let mostWaiting = 16 * 1024
    /// Between the attempts to resume a room that cannot be read.
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(5)

    init(
        _ id: MemberID, of client: SocketIOClient, caller: Caller, profile: ClientProfile,
        backpressure: SocketBackpressure, shard: GatewayShard
    ) {
        self.id = id
        self.client = client
        self.caller = caller
        self.profile = profile
        self.backpressure = backpressure
        self.shard = shard
    }

    var engine: EngineSocket { client.engine }
    var user: UserID { caller.user }
    var rooms: some Collection<RoomID> { machine.roomIDs }
    var isReady: Bool { machine.isReady }
    /// Whether the client reads so slowly that it is sent only messages, changes and the like.
    var isSlow: Bool { engine.queuedBytes > Self.mostWaiting }

    func isIn(_ room: RoomID) -> Bool { machine.isIn(room) }

    /// Whether rooms of the user may be missing because they are out of reach.
    var lacksRooms: Bool { !shard.me.unavailable(of: self).isEmpty }

    /// Returns when more may be sent, or the connection has ended.
    func waitForRoom() async { await backpressure.wait { SocketBackpressure.hasRoom(in: engine) } }

    var meCaller: MeCaller { MeCaller(user: caller.user, session: caller.session, profile: profile.name) }

    /// The start has been read: the client is told, and the socket enters its rooms.
    ///
    /// - Parameter unavailable: what is missing in the start.
    func begin(_ found: MeStart, without unavailable: MeMachine.Unavailable, from cursors: MeCursors) {
        let start = found.reply
        self.start = start
        own.readMoves = found.readMoves
        note(settings: start.settings)
        let rooms = found.machineRooms
        handle { $0.start(rooms, without: unavailable, from: cursors) }
        // The connection may have broken while it was sent to. The user must not be shown online for a socket that has ended.
        if isEnded { return }
        for room in start.rooms { shard.note(room.workspace, of: room.room) }
        shard.me.presence.changed(self)
        shard.me.badges.changed(user)
    }

    /// The user's settings, when they have been read.
    func note(settings: [UInt8]) {
        let settings = try? JSONValue(parsing: settings)
        own.sharesTyping = settings?.bool("typing") ?? true
        own.sharesPresence = settings?.bool("presence") ?? true
    }

    /// The client says whether its user is away.
    func note(isAway: Bool) {
        own.isAway = isAway
        if isReady { shard.me.presence.changed(self) }
    }

    /// Tells the client of its user's badge, unless it knows it. Returns false if the client reads too slowly.
    func tell(_ badge: MeBadge) -> Bool {
        if own.badge == badge { return true }
        if isSlow { return false }
        own.badge = badge
        send(.badge(badge))
        return true
    }

    /// The connection has ended, or its client has left the namespace.
    func end() {
        handle { $0.end() }
        isEnded = true
    }

    func send(_ event: MeEvent) { client.send(event.packet(for: profile)) }

    /// See `MeMachine.doubt`.
    func doubt(_ room: RoomID?) -> Bool { isReady && !isEnded && machine.doubt(room) }

    /// A room cannot be read now. Returns whether the socket leaves it until later, because it was being resumed there.
    ///
    /// - Parameter seq: how far the socket was sent the room; nil if it was sent nothing.
    func cannotResume(_ room: RoomID, at seq: Int64?) -> Bool {
        guard machine.mayPutOff(room) else { return false }
        handle { $0.failed(room, at: seq) }
        return true
    }

    /// Hands the machine an event, and performs the actions.
    func handle(_ event: @escaping Event) {
        if isEnded { return }
        events.waiting.append(event)
        if events.isPerforming { return }
        events.isPerforming = true
        var next = 0
        while next < events.waiting.count {
            for action in events.waiting[next](&machine) { perform(action) }
            next += 1
        }
        events = ([], false)
    }

    private func perform(_ action: MeMachine.Action) {
        switch action {
        case .sendReady:
            guard let start else { return }
            self.start = nil
            let ready = MeEvent.ready(MeReady(session: caller.session, start: start, now: .now)).packet(for: profile)
            // It has all rooms of the user, and without it the client cannot begin.
            engine.allowMessage(of: ready.payload?.count ?? 0)
            client.send(ready)
        case .send(let event):
            send(event)
            shard.accessTold(event, to: self)
        case .enter(let room, let start, let head): shard.enter(self, room, after: start, head: head)
        case .leave(let room): shard.leave(self, room)
        case .recheck(let room): shard.recheck(self, in: room)
        case .retryLater(let room, let failures):
            let pause = min(Self.firstPause * (1 << min(failures - 1, 20)), Self.longestPause)
            engine.loop.schedule(after: pause) { [weak self] in self?.handle { $0.retry(room) } }
        case .readAgain: shard.refresh(self)
        case .compareReads(let rooms): shard.compareReads(of: self, in: rooms)
        case .countBadge: shard.me.badges.changed(user)
        }
    }
}
