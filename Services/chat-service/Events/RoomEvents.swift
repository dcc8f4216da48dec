import Contract
import Redis
import ServiceKit
import Wire

/// Makes room events of what the tables hold: for gateways that ask, and for what was not told when it was written.
struct RoomEvents: Sendable {
    let messages: MessageStore
    let names: RoomNames
    let profiles: ProfileCache

    /// What follows a message in its room.
    struct Page: Sendable {
        /// False where some of it does not exist any more.
        let isComplete: Bool
        /// The newest seq of the room.
        let head: Int64
        /// The seq up to which the events are all that there are.
        let end: Int64
        /// Oldest first.
        let events: [RoomEvent]
    }

    /// The events of the `limit` places behind `after`, of fewer once their content has `bytes` bytes. It ends at a place,
    /// not after a count: a gap must not be filled with what is behind it.
    func page(of room: RoomID, after: Int64, limit: Int64, bytes: Int) async throws -> Page {
        let head = try await messages.head(of: room)
        let through = after < head ? min(head, after + limit) : after
        let found = try await messages.page(
            of: room, after: after, through: through, limit: Int(limit), bytes: bytes)
        let isFull = found.reduce(0) { $0 + $1.content.utf8.count } >= bytes
        let end = isFull ? found.last?.seq ?? through : through
        let events = try await roomMessages(found).map { RoomEvent.message($0) }
        return Page(
            isComplete: head >= after && Int64(events.count) == end - after, head: head, end: end, events: events)
    }

    /// The commands that tell a row of the outbox again.
    func telling(_ row: OutboxRow) async throws -> [RedisCommand] {
        let places = try JSONValue(parsing: row.body).elements?.compactMap(Self.place) ?? []
        let told = try await roomMessages(messages.find(places))
        // Where the messages are gone there is nothing to tell, but the relay wants an entry.
        if told.isEmpty { return [.append(["id": "none", "body": "{}"], toStream: .pushes)] }
        return Announcer.telling(told)
    }

    private func roomMessages(_ stored: [StoredMessage]) async throws -> [RoomMessage] {
        let authors = try await profiles.members(stored.map(\.author))
        let rooms = try await names.of(Set(stored.map(\.room)))
        return stored.compactMap { message in
            guard let room = rooms[message.room] else { return nil }
            let author = authors[message.author] ?? .deleted(message.author)
            return RoomMessage(
                room: message.room, workspace: room.workspace, name: room.name, body: message.body(by: author),
                session: message.session)
        }
    }

    /// `[kind, room, seq]`.
    private static func place(_ json: JSONValue) -> (room: RoomID, seq: Int64)? {
        guard let kind = json[0]?.int.flatMap({ RoomID.Kind(rawValue: UInt8(clamping: $0)) }), let room = json[1]?.int,
            let seq = json[2]?.int
        else { return nil }
        return (RoomID(kind: kind, rawValue: Int64(room)), Int64(seq))
    }
}
