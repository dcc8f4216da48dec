import Contract
import EngineIO
import EventLoop
import Redis
import ServiceKit
import SocketIO
import Telemetry
import WebSocket
import Wire

/// A room on one loop: hears its events as long as a socket of the loop is in it, puts them in order and fans them out.
///
/// While a member must not be sent anything twice, a message waits until Redis knows that it may have been sent. After Redis
/// was away it waits until the members have been looked at again: removals may have been missed.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class RoomFeed: @unchecked Sendable {
    let room: RoomID
    private(set) var members: [ObjectIdentifier: RoomMember] = [:]
    /// The members about as they have come, which is how their sockets lie in memory, the kernel's included: to send in that
    /// order takes less time.
    private var order: [RoomMember] = []
    /// Of each in `order`.
    private var hints: [DeliveryHint] = []
    /// How many sockets each user has here.
    private var socketCounts: [UserID: Int] = [:]
    /// The newest message that live members have been sent; nil until the room's head is known.
    var present: Int64?
    /// Known once somebody was let in.
    var workspace: WorkspaceID?

    let loop: EventLoop
    let outside: FeedSurroundings
    unowned let hub: LoopHub
    var tracker = RoomTracker()
    private var subscription: RedisSubscription?
    /// The newest messages, for sockets that are a little behind.
    private var recent: [RoomMessage] = []
    /// The next messages in order, which may not go out yet.
    private var held: [RoomMessage] = []
    /// Redis knows that everything up to here may have been sent.
    private var reserved: Int64 = 0
    /// How many members must not be sent anything twice.
    private var cautiousCount = 0
    private var removals: [(after: Int64, user: UserID)] = []
    /// After which message the room is closed.
    private var end: Int64?
    private var isPassing = false
    private var rest = Rest()
    /// Whether the head was asked for before anything could be heard.
    private var isEarly = false
    /// Not zero while it is asked who may be here.
    var verifications = 0
    private(set) var isClosed = false
    var retry: LoopTimer?
    /// How many messages are asked for at once.
    var pageSize = RoomFeed.largestPage

    /// How long members wait for the room to be heard before its head is asked for without that.
    private static let hearingPatience = Duration.seconds(1)
    private static let mostRecent = 128
    private static let mostHeld = 4096
    static let largestPage = 100
    static let pauseBeforeRetry = Duration.milliseconds(500)

    init(_ room: RoomID, on loop: EventLoop, _ outside: FeedSurroundings, hub: LoopHub) {
        self.room = room
        self.loop = loop
        self.outside = outside
        self.hub = hub
    }

    /// Begins to hear.
    func open() {
        subscription = outside.subscriber.listen(toRoom: room) { [weak self] event in
            switch event {
            case .message(let event): self?.heard(event)
            // The head is asked for only now: what comes after it is heard.
            case .confirmed: self?.begunToHear()
            case .gap: self?.hearsAgain()
            case .lost: break
            }
        }
        // Whoever enters while Redis is away begins here: what is said from now on is missed, and found when it is back.
        retry = loop.schedule(after: Self.hearingPatience) { [weak self] in
            self?.isEarly = true
            self?.askForHead()
        }
    }

    private func hearsAgain() {
        verify()
        // A head that is on its way may be from before.
        if present == nil { askForHead() } else { compare() }
    }

    private func begunToHear() {
        retry?.cancel()
        if isEarly { verify() }
        askForHead()
    }

    /// Hears no more.
    func close() {
        isClosed = true
        subscription?.cancel()
        retry?.cancel()
    }

    // MARK: Members

    func add(_ member: RoomMember) {
        if let present { member.letIn(at: present) }
        members[ObjectIdentifier(member)] = member
        member.place = order.count
        order.append(member)
        hints.append(DeliveryHint(to: member))
        if let user = member.identity.user { socketCounts[user, default: 0] += 1 }
        if member.isCautious { cautiousCount += 1 }
    }

    func remove(_ member: RoomMember) {
        guard members.removeValue(forKey: ObjectIdentifier(member)) != nil else { return }
        let (last, hint) = (order.removeLast(), hints.removeLast())
        if last !== member {
            order[member.place] = last
            hints[member.place] = hint
            last.place = member.place
        }
        if let user = member.identity.user, let count = socketCounts[user] {
            socketCounts[user] = count > 1 ? count - 1 : nil
        }
        if member.isCautious { cautiousCount -= 1 }
    }

    /// Whether a user has a socket here.
    func has(_ user: UserID) -> Bool { socketCounts[user] != nil }

    /// Those who have a socket here.
    var users: some Collection<UserID> { socketCounts.keys }

    func contains(_ member: RoomMember) -> Bool { members[ObjectIdentifier(member)] != nil }

    /// What members were sent behind `position`; nil where that is no longer at hand.
    func recent(after position: Int64) -> [RoomMessage]? {
        guard position < present ?? 0 else { return [] }
        guard let first = recent.first, first.body.seq <= position + 1 else { return nil }
        return recent.filter { $0.body.seq > position }
    }

    // MARK: Events

    private func heard(_ event: RoomEvent) {
        switch event {
        case .message(let message): perform(tracker.heard(message))
        case .removed(_, let after, let user):
            removals.append((after, user))
            reach(after)
        case .closed(_, let after):
            end = after
            reach(after)
        }
    }

    /// What has its place behind `seq` happens there, which may have been missed.
    private func reach(_ seq: Int64) {
        perform(tracker.compared(head: seq))
    }

    /// Does what has its place in the room's order before the message `next`: nobody who was removed there gets it.
    private func settlePlaces(before next: Int64) {
        guard !removals.isEmpty || end != nil else { return }
        for removal in removals where removal.after < next { remove(removal.user) }
        removals.removeAll { $0.after < next }
        guard let end, end < next else { return }
        for member in members.values { member.putOut() }
    }

    /// Takes a user out: nothing goes to their sockets any more, unless they have come back in the meantime.
    private func remove(_ user: UserID) {
        hub.accessChanges.note(user)
        for member in members.values where member.identity.user == user {
            member.phase = .onlooker
            member.interrupted = nil
            hub.recheck(member, in: self)
        }
    }

    func perform(_ actions: [RoomTracker.Action]) {
        for action in actions {
            switch action {
            case .deliver(let message): held.append(message)
            case .heal(let after): heal(after)
            }
        }
        pass()
    }

    /// Redis knows that everything up to `seq` may have been sent.
    func reserved(through seq: Int64) {
        reserved = max(reserved, seq)
        pass()
    }

    /// Writes down anew where the room's members are.
    func rewritePositions() async {
        if cautiousCount > 0, let present { hub.positions.reserve(self, through: max(present, reserved)) }
        for member in members.values where member.claim != .none && contains(member) {
            guard let session = member.identity.session else { continue }
            if member.isCautious {
                try? await outside.positions.claim(session, room, at: member.reached, member.claim, for: member.live)
            } else {
                await outside.positions.confirm(session, room, member.confirmed)
            }
        }
    }

    /// Delivers what may go out, and has the rest written down.
    func pass() {
        guard !isPassing else { return }
        // Whatever it is that they wait for.
        if held.count > Self.mostHeld { return giveUp() }
        guard verifications == 0 else { return }
        // Who ends while being sent to leaves the room in the middle of it.
        isPassing = true
        var count = 0
        while count < held.count, !rest.isUnderWay, cautiousCount == 0 || held[count].body.seq <= reserved {
            deliver(held[count])
            count += 1
        }
        held.removeFirst(count)
        isPassing = false
        guard let last = held.last else {
            // Nothing is on its way any more that would come before.
            if !tracker.isHealing { settlePlaces(before: .max) }
            return
        }
        if cautiousCount > 0, last.body.seq > reserved { hub.positions.reserve(self, through: last.body.seq) }
    }

    /// Where the room is full, lets what comes next wait a little once this message has left.
    private func restLater() {
        guard order.count >= Rest.crowd, rest.sends(now: EventLoop.preciseNow) else { return }
        loop.atEndOfTick { [self] in
            guard let length = rest.sent(now: EventLoop.preciseNow) else { return }
            loop.schedule(after: length) { [weak self] in
                guard let self else { return }
                rest.end(gathered: held.count)
                pass()
            }
        }
    }

    /// More waits than may: the sockets come back and go on from where they are.
    private func giveUp() {
        // Whoever comes next begins behind what is dropped here, and asks chat-service for it.
        present = held.last?.body.seq ?? present
        recent = []
        held = []
        for member in members.values {
            member.phase = .onlooker
            member.client.engine.close()
        }
    }

    private func deliver(_ message: RoomMessage) {
        settlePlaces(before: message.body.seq)
        restLater()
        present = message.body.seq
        recent.append(message)
        if recent.count > 2 * Self.mostRecent { recent.removeFirst(Self.mostRecent) }
        var rendered = RenderedMessage(message, compressingIn: outside.compression.current)
        var count: UInt64 = 0
        let hints = hints
        for (place, member) in order.enumerated() {
            DeliveryHint.lookAhead(from: place, in: hints)
            guard member.phase == .live else { continue }
            if member.wants(message) {
                guard Outflow.hasRoom(in: member.engine) else {
                    catchUp(member)
                    continue
                }
                member.engine.send(rendered.packet(for: member))
                count += 1
            }
            member.move(to: message.body.seq)
        }
        outside.metrics.delivered(message, to: count)
    }
}
