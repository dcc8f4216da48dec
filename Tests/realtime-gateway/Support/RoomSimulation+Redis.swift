@testable import realtime_gateway

/// The simulated Redis, which keeps cursors as the scripts of `SessionCursors` do.
extension RoomSimulation {
    func find(_ id: Int) -> JoinCursor {
        guard let client = clients[id], let record = records[client.session] else { return JoinCursor() }
        var found = JoinCursor(seq: record.seq, history: record.history, isBeingRead: record.isReading)
        if let name = record.name, let loop = clients[name]?.loop {
            found.seq = max(record.seq ?? 0, record.end ?? reservations[loop])
        }
        return found
    }

    mutating func noteFloor(_ id: Int) {
        guard let client = clients[id], client.entry == nil, let record = records[client.session] else { return }
        if let name = record.name {
            let floor = clients[name]?.got.last ?? 0
            clients[id]?.floor = floor
        } else if let newest = left[client.session], newest.id == record.joined {
            clients[id]?.owed = newest.cursor
        }
    }

    mutating func write(_ write: CursorWrite, of id: Int) {
        guard let session = clients[id]?.session else { return }
        var record = records[session] ?? Record()
        switch write {
        case .confirmed(let seq): record.seq = max(record.seq ?? 0, seq)
        case .claim(let cursor, let start, let end):
            if let name = record.name, name != id, record.joined > id { return }
            // Nobody answers heartbeats here, so an older socket may be half-open.
            if record.name == nil, record.joined > id { return }
            let isOther = record.name != nil && record.name != id
            record.seq = max((isOther ? record.history : record.seq) ?? 0, cursor)
            (record.name, record.joined, record.start, record.end) = (id, id, start, end)
        }
        records[session] = record
    }

    mutating func release(_ id: Int, _ cursor: Int64) {
        guard let session = clients[id]?.session, var record = records[session] else { return }
        if let name = record.name, name != id { return }
        if record.name == nil, record.joined > id { return }
        record.seq = max(record.seq ?? 0, cursor)
        (record.name, record.end) = (nil, nil)
        records[session] = record
        left[session] = (id, cursor)
    }
}
