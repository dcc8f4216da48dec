import Contract
import Wire

@testable import realtime_gateway

/// A seeded generator, so that a failing interleaving can be run again.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension RoomMessage {
    static func sample(_ seq: Int64, session: Int64 = 1) -> RoomMessage {
        RoomMessage(
            room: RoomID(ChannelID(7)), workspace: WorkspaceID(1), name: "c",
            body: MessageBody(
                id: ChatID(seq), seq: seq, content: "\(seq)", createdAt: Timestamp(milliseconds: seq), files: [],
                author: MemberView(id: UserID(9), email: "a@b.kr", nickname: "a", profileImage: nil)),
            session: SessionID(session))
    }
}

extension RoomMember<Int> {
    static func sample(_ id: Int, session: Int64?, isFatal: Bool, echo: Bool = true, isMember: Bool = true) -> Self {
        RoomMember(
            id: MemberID(rawValue: UInt64(id)), user: session.map { UserID($0) },
            session: session.map { SessionID($0) }, form: .july2024, echo: echo,
            repeatedEvent: isFatal ? .fatal : .harmless, socket: id, isMember: isMember)
    }
}

/// Two gateway loops with a room's machine each, their Redis and chat-service, and clients. Every answer is late by a random
/// number of other events; some calls fail, and published events get lost or come twice.
struct RoomSimulation {
    struct Client {
        let session: Int64
        let isFatal: Bool
        let echo: Bool
        let loop: Int
        /// The head when the join was acknowledged.
        var entry: Int64?
        /// The seq that the session's newest socket had been sent when the cursor was read.
        var floor: Int64 = 0
        /// The seq that the session's newest socket had been sent when it left; nil where it was open when the cursor was
        /// read, or unknown to Redis.
        var owed: Int64?
        /// Whether Redis did not tell the whole cursor before the join was acknowledged.
        var isUnread = false
        var got: [Int64] = []
        var isOpen = true
        /// Whether access was lost or uncertain at some time.
        var isDisturbed = false
        /// Whether the session has ended.
        var isRevoked = false
    }

    typealias Machine = RoomMachine<Int>
    typealias Later = (inout RoomSimulation) -> Void

    var random: Seeded
    var machines = [Machine(), Machine()]
    /// Whether published events reach a loop.
    var hears = [true, true]
    var log: [RoomMessage] = []
    var clients: [Int: Client] = [:]
    /// The contents of Redis.
    var redis = Redis()
    /// Its contents if it had never lost anything.
    var intact = Redis()
    /// Recent writes, of the two loops and of two instances of chat-service.
    var recent: [[Known]] = [[], [], [], []]
    /// The newest socket of each session that has left after its claim, with its cursor.
    var left: [Int64: (id: Int, cursor: Int64)] = [:]
    /// Sessions that are not members now, with the head at their removal.
    var removed: [Int64: Int64] = [:]
    /// The same, for each loop that the removal has reached.
    var heardRemovals: [[Int64: Int64]] = [[:], [:]]
    var later: [Later] = []
    /// History replies of each session: their ends, the messages left out, and the socket that is sent those.
    var replies: [Int64: [(through: Int64, left: ClosedRange<Int64>?, socket: Int?)]] = [:]
    var faults: [String] = []
    /// False at the end: then nothing fails any more.
    var isRough = true

    var head: Int64 { Int64(log.count) }

    init(seed: UInt64) { random = Seeded(state: seed) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func fails(_ percent: Int) -> Bool { isRough && chance(percent) }

    // MARK: Performing

    mutating func handle(_ loop: Int, _ event: (inout Machine, inout [RoomAction]) -> Void) {
        var actions: [RoomAction] = []
        event(&machines[loop], &actions)
        var index = 0
        while index < actions.count {
            perform(actions[index], loop, &actions)
            index += 1
        }
    }

    private mutating func answer(_ loop: Int, _ event: @escaping (inout Machine, inout [RoomAction]) -> Void) {
        later.append { $0.handle(loop, event) }
    }

    private mutating func perform(_ action: RoomAction, _ loop: Int, _ actions: inout [RoomAction]) {
        switch action {
        case .accept(let id):
            let entry = clients[id.number]?.entry ?? head
            clients[id.number]?.entry = entry
        case .broadcast(let message):
            var queued: [Int] = []
            let isRough = isRough
            var random = random
            _ = machines[loop].broadcast(message, &actions) { socket, _ in
                if isRough, Int.random(in: 0..<20, using: &random) == 0 { return false }
                queued.append(socket)
                return true
            }
            self.random = random
            for id in queued { deliver(message, to: id, loop, isLive: true) }
        case .send(let id, let messages):
            for message in messages { deliver(message, to: id.number, loop, isLive: false) }
        case .awaitRoom(let ticket), .awaitEmpty(let ticket): answer(loop) { $0.drained(ticket, &$1) }
        case .fetchPage(let ticket, let after):
            let version = machines[loop].recent.version
            later.append { world in
                if world.fails(20) { return world.handle(loop) { $0.stepFailed(ticket, &$1) } }
                let page = Array(world.log.dropFirst(Int(after)).prefix(3))
                let end = page.last?.body.seq ?? .max
                world.handle(loop) { $0.pageFetched(ticket, page, end: end, askedAt: version, &$1) }
            }
        case .writeCursor(let ticket, let write):
            if fails(10) { return answer(loop) { $0.stepFailed(ticket, &$1) } }
            self.write(write, of: ticket.member.number)
            answer(loop) { $0.cursorWritten(ticket, &$1) }
        case .retryLater(let ticket): answer(loop) { $0.retry(ticket, &$1) }
        case .fetchHead, .compareHead:
            later.append { world in world.handle(loop) { [head = world.head] in $0.headReported(head, &$1) } }
        case .backfill(let after):
            later.append { world in
                if world.fails(20) { return world.handle(loop) { $0.backfillFailed(&$1) } }
                let (page, head) = (Array(world.log.dropFirst(Int(after)).prefix(4)), world.head)
                world.handle(loop) { $0.backfilled(page, head: head, &$1) }
            }
        case .reserve(let seq):
            redis.reservations[loop] = max(redis.reservations[loop], seq)
            intact.reservations[loop] = max(intact.reservations[loop], seq)
            answer(loop) { $0.reserved(through: seq, &$1) }
        case .readCursor(let id):
            later.append { world in
                world.noteFloor(id.number)
                if world.fails(10) {
                    world.clients[id.number]?.isUnread = true
                    world.askHead(id, loop)
                } else {
                    let found = world.find(id.number)
                    if case .readingCursor? = world.machines[loop].roster[id]?.phase {
                        world.noteOwed(id.number, found)
                    }
                    world.handle(loop) { $0.cursorRead(id, found, &$1) }
                }
            }
        case .askHead(let id): later.append { $0.askHead(id, loop) }
        case .readLastCursor(let id): readLastCursor(id, loop)
        case .startHistoryTimer(let id): answer(loop) { $0.historyTimedOut(id, &$1) }
        case .releaseCursor(let id, let cursor, let isClaimed): release(id.number, cursor, isClaimed: isClaimed)
        case .recheck(let id): recheck(id, loop)
        case .recheckAll(let number):
            for id in machines[loop].roster.ids { recheck(id, loop) }
            answer(loop) { $0.allRechecked(number, &$1) }
        case .caughtUp, .broadcastChange, .sendChanges, .awaitMissingChanges, .fetchChanges, .fetchMissed, .noteRemoval,
            .userLeft:
            break
        case .putOut(let id): clients[id.number]?.isOpen = false
        case .closeSocket(let id):
            clients[id.number]?.isOpen = false
            later.append { $0.leave(id.number) }
        }
    }

    private mutating func askHead(_ id: MemberID, _ loop: Int) {
        handle(loop) { [head] in $0.cursorUnavailable(id, roomHead: head, &$1) }
    }

    private mutating func readLastCursor(_ id: MemberID, _ loop: Int) {
        later.append { world in
            guard world.machines[loop].roster[id] != nil else { return }
            let found = world.find(id.number)
            if found.timeUntilWhole != nil { return world.readLastCursor(id, loop) }
            if case .waiting? = world.machines[loop].roster[id]?.phase { world.noteOwed(id.number, found) }
            world.handle(loop) { $0.lastCursorRead(id, found, fallback: 0, &$1) }
        }
    }

    mutating func leave(_ id: Int) {
        guard let client = clients[id] else { return }
        clients[id]?.isOpen = false
        if case .confirmed(let seq)? = machines[client.loop].rewrite(MemberID(rawValue: UInt64(id))) {
            recent[client.loop].append(.confirmed(client.session, seq))
        }
        handle(client.loop) { $0.leave(MemberID(rawValue: UInt64(id)), &$1) }
    }

    private mutating func recheck(_ id: MemberID, _ loop: Int) {
        later.append { world in
            guard let client = world.clients[id.number], world.machines[loop].roster[id] != nil else { return }
            if world.fails(30) {
                world.clients[id.number]?.isDisturbed = true
                world.handle(loop) { machine, _ in machine.accessUnknown(id) }
                return world.recheck(id, loop)
            }
            let isMember = world.removed[client.session] == nil
            world.handle(loop) { $0.accessChecked(id, isMember: isMember, &$1) }
        }
    }

    // MARK: Specification of a delivery

    private mutating func deliver(_ message: RoomMessage, to id: Int, _ loop: Int, isLive: Bool) {
        guard let client = clients[id] else { return }
        let seq = message.body.seq
        func fault(_ text: String) -> String {
            "\(text): \(seq) to socket \(id) of session \(client.session), got \(client.got)"
        }
        if client.isRevoked { faults.append(fault("sent after the end of its session")) }
        if client.entry == nil { faults.append(fault("sent before the join was acknowledged")) }
        if let last = client.got.last, seq <= last { faults.append(fault("twice or out of order")) }
        if client.isFatal, client.floor >= seq { faults.append(fault("an earlier socket was sent it already")) }
        if let after = heardRemovals[loop][client.session], seq > after { faults.append(fault("sent after a removal")) }
        if !client.echo, message.session.rawValue == client.session { faults.append(fault("echo")) }
        if client.isFatal, isLive, seq > intact.reservations[loop] {
            faults.append(fault("sent before it was reserved"))
        }
        clients[id]?.got.append(seq)
    }
}

extension MemberID {
    var number: Int { Int(rawValue) }
}
