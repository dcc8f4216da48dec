import Contract
import EventLoop
import Redis
import SocketIO
import Telemetry
import WebSocket
import Wire

/// A room on one loop: hears its events as long as a socket of the loop is in it, puts them in order and fans them out.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class RoomFeed: @unchecked Sendable {
    let room: RoomID
    private(set) var members: [ObjectIdentifier: RoomMember] = [:]

    private let loop: EventLoop
    private let outside: FeedSurroundings
    private var tracker = RoomTracker()
    private var subscription: RedisSubscription?
    /// The newest messages, for sockets that are a little behind.
    private var recent: [RoomMessage] = []
    private var removed: Set<UserID> = []
    private var retry: LoopTimer?

    private static let mostRecent = 128
    private static let pauseBeforeRetry = Duration.milliseconds(500)

    init(_ room: RoomID, on loop: EventLoop, _ outside: FeedSurroundings) {
        self.room = room
        self.loop = loop
        self.outside = outside
    }

    /// Begins to hear.
    func open() {
        subscription = outside.subscriber.listen(to: RoomEvent.channel(of: room)) { [weak self] event in
            switch event {
            case .message(let bytes): self?.heard(bytes)
            // The head is asked for only now: what comes after it is heard.
            case .confirmed: self?.askForHead()
            case .gap: self?.compare()
            case .lost: break
            }
        }
    }

    /// Hears no more.
    func close() {
        subscription?.cancel()
        retry?.cancel()
    }

    // MARK: Members

    func add(_ member: RoomMember) { members[ObjectIdentifier(member)] = member }

    func remove(_ member: RoomMember) { members[ObjectIdentifier(member)] = nil }

    /// Brings a member from its position to the present, then lets it go on live.
    ///
    /// - Parameter position: where it is; nil for one that has nothing to catch up with.
    func bring(_ member: RoomMember, from position: Int64?) {
        if let position { member.move(to: position) }
        guard let last = tracker.last else {
            member.startsAtHead = position == nil
            member.phase = .catchingUp
            return
        }
        if position == nil { member.position = max(member.position, last) }
        catchUp(member)
    }

    private func catchUp(_ member: RoomMember) {
        guard let last = tracker.last, members[ObjectIdentifier(member)] != nil else { return }
        if member.position >= last {
            member.phase = .live
            return
        }
        if let first = recent.first, first.body.seq <= member.position + 1 {
            for message in recent { send(message, to: member) }
            member.phase = .live
            return
        }
        member.phase = .catchingUp
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let since = try await outside.chat.events(of: room, after: member.position)
                for case .message(let message) in since.events where message.body.seq <= tracker.last ?? 0 {
                    send(message, to: member)
                }
                // What is not there any more is not waited for.
                let end = since.events.last?.seq ?? since.head
                member.move(to: min(end, tracker.last ?? end))
                catchUp(member)
            } catch {
                outside.log.warning("a socket cannot catch up", ["room": .name("\(room)"), "cause": .cause(error)])
                loop.schedule(after: Self.pauseBeforeRetry) { [weak self] in self?.catchUp(member) }
            }
        }
    }

    private func send(_ message: RoomMessage, to member: RoomMember) {
        guard member.wants(message) else { return member.move(to: message.body.seq) }
        var rendered = RenderedMessage(message, compressingIn: nil)
        member.client.send(rendered.packet(for: member.identity.profile))
        member.move(to: message.body.seq)
        outside.metrics.deliveries.increment()
    }

    // MARK: Events

    private func heard(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), let event = RoomEvent(json) else { return }
        switch event {
        case .message(let message): perform(tracker.heard(message))
        case .removed(_, _, let user): remove(user)
        case .closed: for member in members.values { member.client.disconnect(member.namespace) }
        }
    }

    /// Takes a user out at once; what was before the removal's place and is still on its way is lost to them, no more.
    func remove(_ user: UserID) {
        for member in members.values where member.identity.user == user {
            member.phase = .onlooker
            if room.kind == .dm { member.client.disconnect(member.namespace) }
        }
    }

    private func perform(_ actions: [RoomTracker.Action]) {
        for action in actions {
            switch action {
            case .deliver(let message): deliver(message)
            case .heal(let after): heal(after)
            }
        }
    }

    private func deliver(_ message: RoomMessage) {
        recent.append(message)
        if recent.count > 2 * Self.mostRecent { recent.removeFirst(Self.mostRecent) }
        var rendered = RenderedMessage(message, compressingIn: outside.compression.current)
        var count: UInt64 = 0
        for member in members.values where member.phase == .live {
            if member.wants(message) {
                member.client.send(rendered.packet(for: member.identity.profile))
                count += 1
            }
            member.move(to: message.body.seq)
        }
        outside.metrics.delivered(message, to: count)
    }

    // MARK: Healing

    private func askForHead() {
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let head = try await outside.chat.heads(of: [room])[room] ?? 0
                perform(tracker.start(at: head))
                for member in members.values where member.phase == .catchingUp {
                    if member.startsAtHead { member.move(to: head) }
                    catchUp(member)
                }
            } catch {
                retryLater { $0.askForHead() }
            }
        }
    }

    /// Redis has been away: the head tells whether something was missed.
    func compare() {
        Task.immediate(executorPreference: loop) { [self] in
            do {
                if let head = try await outside.heads.head(of: room) { perform(tracker.compared(head: head)) }
            } catch {
                retryLater { $0.compare() }
            }
        }
    }

    private func heal(_ after: Int64) {
        outside.metrics.heals.increment()
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let since = try await outside.chat.events(of: room, after: after)
                let messages = since.events.compactMap { event -> RoomMessage? in
                    if case .message(let message) = event { message } else { nil }
                }
                perform(tracker.healed(messages, head: since.head))
            } catch {
                tracker.healingFailed()
                retryLater { $0.compare() }
            }
        }
    }

    private func retryLater(_ work: @escaping (RoomFeed) -> Void) {
        retry?.cancel()
        retry = loop.schedule(after: Self.pauseBeforeRetry) { [weak self] in
            if let self { work(self) }
        }
    }
}

extension RoomEvent {
    /// The seq of a message.
    fileprivate var seq: Int64? { if case .message(let message) = self { message.body.seq } else { nil } }
}
