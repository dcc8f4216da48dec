import Contract
import Wire

@testable import realtime_gateway

/// A room's machine among native sockets, with changes that two instances of chat-service commit and publish. Events get
/// lost, come twice and out of order; calls fail; sockets have no room at times.
struct ChangeSimulation {
    typealias Machine = RoomMachine<Int>

    var random: Seeded
    var machine = Machine()
    /// The revision of each message; its index is the seq less one.
    var revs: [Int64] = []
    var rev: Int64 = 0
    /// The changes that each instance has committed and not published, and the events on their way.
    var gathered: [[Int: [Int64]]] = [[:], [:]]
    var later: [(inout ChangeSimulation) -> Void] = []
    /// The newest revision of each message at the acknowledgement of each socket's join.
    var joined: [Int: Int64] = [:]
    /// The revision of each message, as each socket knows it.
    var known: [Int: [Int64: Int64]] = [:]
    var lastSent: [Int: Int64] = [:]
    var heads: [Int: Int64] = [:]
    var faults: [String] = []
    var isRough = true
    /// The `/me` sockets, and earlier states of the room that their clients may have.
    var me: Set<Int> = []
    var earlier: [(revs: [Int64], rev: Int64)] = [([], 0)]

    init(seed: UInt64) { random = Seeded(state: seed) }

    mutating func chance(_ percent: Int) -> Bool { isRough && Int.random(in: 0..<100, using: &random) < percent }

    func message(_ seq: Int64) -> RoomMessage {
        let plain = RoomMessage.sample(seq)
        let rev = revs[Int(seq) - 1]
        guard rev > 0 else { return plain }
        let body = plain.body
        return RoomMessage(
            room: plain.room, workspace: plain.workspace, name: plain.name,
            body: MessageBody(
                id: body.id, seq: seq, content: "\(rev)", createdAt: body.createdAt, files: [], author: body.author,
                revision: MessageRevision(rev: rev)),
            session: plain.session)
    }

    /// The changes after a revision, as chat-service answers.
    func changes(after rev: Int64, limit: Int) -> (changes: [RoomChange], through: Int64) {
        let all = revs.indices.filter { revs[$0] > rev }.sorted { revs[$0] < revs[$1] }
        let page = all.prefix(limit).map { RoomChange(message(Int64($0) + 1)) }
        return (page, page.count == all.count ? self.rev : page.last?.rev ?? rev)
    }

    // MARK: Events

    mutating func handle(_ event: (inout Machine, inout [RoomAction]) -> Void) {
        var actions: [RoomAction] = []
        event(&machine, &actions)
        var index = 0
        while index < actions.count {
            perform(actions[index], &actions)
            index += 1
        }
    }

    mutating func say() {
        revs.append(0)
        let message = message(Int64(revs.count))
        if chance(10) { return }
        later.append { world in world.handle { $0.published(.message(message), &$1) } }
    }

    mutating func commit() {
        guard !revs.isEmpty else { return }
        let index = Int.random(in: revs.indices, using: &random)
        rev += 1
        revs[index] = rev
        gathered[Int.random(in: 0...1, using: &random)][index, default: []].append(rev)
    }

    mutating func publish(_ instance: Int) {
        let events = gathered[instance].map { index, revs -> RoomChange in
            let seq = Int64(index) + 1
            // The event holds the message as of its newest revision here.
            return RoomChange(message(seq), revs: revs)
        }
        gathered[instance] = [:]
        // An erasure publishes its last change alone.
        if chance(20), let last = events.max(by: { $0.rev < $1.rev }), let first = events.flatMap(\.revs).min() {
            let event = RoomChange(last.message, revs: last.revs, othersAfter: first - 1)
            later.append { world in world.handle { $0.published(.changed(event), &$1) } }
            return
        }
        for event in events.sorted(by: { $0.rev < $1.rev }) where !chance(10) {
            for _ in 0...(chance(10) ? 1 : 0) {
                later.append { world in world.handle { $0.published(.changed(event), &$1) } }
            }
        }
    }

    mutating func run() {
        guard !later.isEmpty else { return }
        let index = Int.random(in: later.indices.prefix(isRough ? 6 : 1), using: &random)
        later.remove(at: index)(&self)
    }

    // MARK: Performing

    private mutating func deliver(_ change: RoomChange, to id: Int) {
        if joined[id] == nil { faults.append("\(id) is sent a change before its join") }
        if change.rev <= lastSent[id] ?? 0 {
            faults.append("\(id) is sent \(change.rev) after \(lastSent[id] ?? 0)")
        }
        let seq = change.message.body.seq
        if seq > heads[id] ?? 0 { faults.append("\(id) is sent a change of \(seq) before the message") }
        lastSent[id] = change.rev
        known[id, default: [:]][seq] = max(known[id]?[seq] ?? 0, change.rev)
    }

    private mutating func deliver(_ message: RoomMessage, to id: Int) {
        let seq = message.body.seq
        let head = heads[id] ?? 0
        if me.contains(id), seq != head + 1 { faults.append("\(id) is sent \(seq) after \(head)") }
        heads[id] = max(heads[id] ?? 0, seq)
        known[id, default: [:]][seq] = max(known[id]?[seq] ?? 0, message.body.revision?.rev ?? 0)
    }

    private mutating func perform(_ action: RoomAction, _ actions: inout [RoomAction]) {
        switch action {
        case .accept(let id):
            guard joined[id.number] == nil else { return }
            joined[id.number] = rev
            // The client reads history or changes once its join is acknowledged.
            heads[id.number] = Int64(revs.count)
            for seq in revs.indices { known[id.number, default: [:]][Int64(seq) + 1] = revs[seq] }
        case .broadcast(let message):
            var queued: [Int] = []
            let isFull = chance(10)
            _ = machine.broadcast(message, &actions) { socket, _ in
                if isFull, socket % 2 == 0 { return false }
                queued.append(socket)
                return true
            }
            for id in queued { deliver(message, to: id) }
        case .broadcastChange(let change):
            var queued: [Int] = []
            let isFull = chance(10)
            _ = machine.broadcastChange(change, &actions) { socket, _ in
                if isFull, socket % 2 == 1 { return false }
                queued.append(socket)
                return true
            }
            for id in queued { deliver(change, to: id) }
        case .send(let id, let messages): for message in messages { deliver(message, to: id.number) }
        case .sendChanges(let id, let changes): for change in changes { deliver(change, to: id.number) }
        case .awaitMissingChanges: later.append { world in world.handle { $0.missingAwaited(&$1) } }
        case .fetchChanges(let after):
            later.append { world in
                if world.chance(20) { return world.handle { $0.changesFailed(&$1) } }
                let (found, through) = world.changes(after: after, limit: 3)
                let head = world.rev
                world.handle { $0.changesFetched(found, through: through, head: head, &$1) }
            }
        case .fetchMissed(let id, let after):
            later.append { world in
                if world.chance(20) { return world.handle { $0.missedFailed(id, &$1) } }
                let (found, through) = world.changes(after: after, limit: 3)
                world.handle { $0.missedFetched(id, found, through: through, &$1) }
            }
        case .fetchHead, .compareHead:
            later.append { world in
                let (seq, rev) = (Int64(world.revs.count), world.rev)
                world.handle { machine, actions in
                    machine.revisionReported(rev, &actions)
                    machine.headReported(seq, &actions)
                }
            }
        case .backfill(let after):
            later.append { world in
                let seqs = Array(after + 1..<Int64(world.revs.count) + 1).prefix(4)
                let (page, head) = (seqs.map { world.message($0) }, Int64(world.revs.count))
                world.handle { $0.backfilled(page, head: head, &$1) }
            }
        case .fetchPage(let ticket, let after):
            let version = machine.recent.version
            later.append { world in
                let page = Array(after + 1..<Int64(world.revs.count) + 1).prefix(3).map { world.message($0) }
                let end = page.last?.body.seq ?? .max
                // Messages may change between the reading of a page and its arrival.
                world.later.append { world in
                    world.handle { $0.pageFetched(ticket, page, end: end, askedAt: version, &$1) }
                }
            }
        case .awaitRoom(let ticket), .awaitEmpty(let ticket):
            later.append { world in world.handle { $0.drained(ticket, &$1) } }
        case .writeCursor(let ticket, _): later.append { world in world.handle { $0.cursorWritten(ticket, &$1) } }
        case .retryLater(let ticket): later.append { world in world.handle { $0.retry(ticket, &$1) } }
        case .readCursor(let id):
            let head = Int64(revs.count)
            later.append { world in world.handle { $0.cursorRead(id, JoinCursor(seq: head), &$1) } }
        case .recheckAll(let number): later.append { world in world.handle { $0.allRechecked(number, &$1) } }
        default: break
        }
    }
}

extension ChangeSimulation {
    /// A `/me` socket joins; its client has an earlier state of the room.
    mutating func joinMe(_ id: Int) {
        let (revs, rev) = earlier[Int.random(in: earlier.indices, using: &random)]
        me.insert(id)
        joined[id] = rev
        lastSent[id] = rev
        heads[id] = Int64(revs.count)
        known[id] = [:]
        for seq in revs.indices { known[id]?[Int64(seq) + 1] = revs[seq] }
        let member = RoomMember(
            me: MemberID(rawValue: UInt64(id)), user: UserID(1), socket: id, after: Int64(revs.count))
        handle { $0.join(member, changesAfter: rev, &$1) }
    }

    /// Takes a socket out; it may come back as it is.
    mutating func leave(_ id: Int) { handle { $0.leave(MemberID(rawValue: UInt64(id)), &$1) } }

    /// Remembers the room as it is now.
    mutating func remember() { earlier.append((revs, rev)) }
}
