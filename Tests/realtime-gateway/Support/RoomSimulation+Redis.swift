@testable import realtime_gateway

/// The simulated Redis, which keeps cursors as the scripts of `SessionCursors` do. Nobody answers heartbeats here, so an older
/// socket may be half-open.
extension RoomSimulation {
    struct Redis {
        var records: [Int64: Record] = [:]
        var reservations: [Int64] = [0, 0]
        /// How many processes have yet to write their parts of a session's cursor again.
        var missingParts: [Int64: Int] = [:]
        var lostReservations: Set<Int> = []
    }

    /// A session's record.
    struct Record {
        var seq, history: Int64?
        var name: Int?
        var joined = 0
        var start: Int64 = 0
        var end: Int64?
        var isReading = false

        mutating func raise(_ seq: Int64) { self.seq = max(self.seq ?? 0, seq) }

        mutating func report(_ seq: Int64, held: Int64) {
            raise(seq)
            history = max(history ?? 0, held)
        }

        mutating func claim(_ id: Int, _ cursor: Int64, start: Int64, end: Int64?) {
            if name != id, joined > id { return }
            if name != id { seq = history }
            raise(cursor)
            (name, joined, self.start, self.end) = (id, id, start, end)
        }

        /// Returns whether it was written.
        mutating func release(_ id: Int, _ cursor: Int64) -> Bool {
            if name == nil ? joined > id : name != id { return false }
            raise(cursor)
            (name, end) = (nil, nil)
            return true
        }

        mutating func releaseAgain(_ id: Int, _ cursor: Int64, isClaimed: Bool) -> Bool {
            if name != id, joined > id || name != nil && !isClaimed { return false }
            if name != id, isClaimed { seq = history }
            raise(cursor)
            (name, end) = (nil, nil)
            if isClaimed { joined = id }
            return true
        }
    }

    /// A part of a session's cursor that its writer remembers.
    enum Known {
        case release(Int64, id: Int, cursor: Int64, isClaimed: Bool)
        case confirmed(Int64, Int64)
        case history(Int64, Int64)

        var session: Int64 {
            switch self {
            case .release(let session, _, _, _), .confirmed(let session, _), .history(let session, _): session
            }
        }
    }

    func find(_ id: Int) -> JoinCursor {
        guard let session = clients[id]?.session else { return JoinCursor() }
        var isWhole = redis.missingParts[session] == nil
        var found = JoinCursor()
        if let record = redis.records[session] {
            found = JoinCursor(seq: record.seq, history: record.history, isBeingRead: record.isReading)
            if let name = record.name, let loop = clients[name]?.loop {
                found.seq = max(record.seq ?? 0, record.end ?? redis.reservations[loop])
                isWhole = isWhole && !redis.lostReservations.contains(loop)
            }
        }
        if !isWhole { found.timeUntilWhole = .seconds(1) }
        return found
    }

    mutating func noteFloor(_ id: Int) {
        guard let client = clients[id], client.entry == nil, let record = intact.records[client.session] else { return }
        guard let name = record.name else { return }
        let floor = clients[name]?.got.last ?? 0
        clients[id]?.floor = floor
    }

    mutating func noteOwed(_ id: Int, _ found: JoinCursor) {
        guard let client = clients[id], client.entry == nil || client.isUnread else { return }
        clients[id]?.isUnread = found.timeUntilWhole != nil
        clients[id]?.owed = nil
        guard found.timeUntilWhole == nil, let record = intact.records[client.session], record.name == nil,
            let newest = left[client.session], newest.id == record.joined
        else { return }
        clients[id]?.owed = newest.cursor
    }

    mutating func write(_ write: CursorWrite, of id: Int) {
        guard let session = clients[id]?.session else { return }
        change(session) { record in
            switch write {
            case .confirmed(let seq): record.raise(seq)
            case .claim(let cursor, let start, let end): record.claim(id, cursor, start: start, end: end)
            }
        }
    }

    mutating func release(_ id: Int, _ cursor: Int64, isClaimed: Bool) {
        guard let client = clients[id] else { return }
        let session = client.session
        if intact.records[session, default: Record()].release(id, cursor) { left[session] = (id, cursor) }
        let isWritten =
            redis.missingParts[session] == nil
            ? redis.records[session, default: Record()].release(id, cursor)
            : redis.records[session, default: Record()].releaseAgain(id, cursor, isClaimed: isClaimed)
        if isWritten { recent[client.loop].append(.release(session, id: id, cursor: cursor, isClaimed: isClaimed)) }
    }

    mutating func change(_ session: Int64, _ body: (inout Record) -> Void) {
        body(&redis.records[session, default: Record()])
        body(&intact.records[session, default: Record()])
    }

    // MARK: Loss

    /// Redis loses a session's cursor, a loop's reservation, or everything. Each process writes its parts again, sooner or later.
    mutating func lose() {
        let isAll = chance(30)
        let session = Int64.random(in: 1...4, using: &random)
        for session in isAll ? 1...4 : session...session { loseCursor(of: session) }
        let loop = Int.random(in: 0..<2, using: &random)
        for loop in isAll ? 0...1 : loop...loop where isAll || chance(30) {
            redis.reservations[loop] = 0
            redis.lostReservations.insert(loop)
            later.append { world in
                world.redis.lostReservations.remove(loop)
                world.handle(loop) { $0.reserveAgain(&$1) }
            }
        }
    }

    private mutating func loseCursor(of session: Int64) {
        redis.records[session] = nil
        redis.missingParts[session, default: 0] += recent.count
        for process in recent.indices {
            later.append { world in
                for known in world.recent[process] where known.session == session { world.rewrite(known) }
                world.later.append { world in
                    if process < world.machines.count { world.rewriteSockets(of: session, process) }
                    let missing = (world.redis.missingParts[session] ?? 1) - 1
                    world.redis.missingParts[session] = missing > 0 ? missing : nil
                }
            }
        }
    }

    private mutating func rewrite(_ known: Known) {
        var record = redis.records[known.session] ?? Record()
        switch known {
        case .release(_, let id, let cursor, let isClaimed): _ = record.releaseAgain(id, cursor, isClaimed: isClaimed)
        case .confirmed(_, let seq): record.raise(seq)
        case .history(_, let seq): record.report(seq, held: seq)
        }
        redis.records[known.session] = record
    }

    private mutating func rewriteSockets(of session: Int64, _ loop: Int) {
        for id in machines[loop].roster.ids where clients[id.number]?.session == session {
            if let write = machines[loop].rewrite(id) { self.write(write, of: id.number) }
        }
    }
}
