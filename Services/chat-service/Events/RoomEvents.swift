import Contract
import Redis
import ServiceKit
import Wire

/// Makes room events of stored messages: for gateways that ask for them, and for outbox rows that were not published
/// right after their commit.
struct RoomEvents: Sendable {
    let messages: MessageStore
    let changes: ChangeStore
    let details: MessageDetailStore
    let names: RoomNames
    let workspaces: RoomWorkspaces
    let profiles: ProfileCache
    /// The streams of pushes.
    let streams: OutboxStreams

    /// The events of the `limit` messages after `after`, and of fewer once their content has `bytes` bytes. The page
    /// spans `limit` numbers instead of holding `limit` events, so that later messages do not fill the gap of deleted
    /// ones.
    func page(of room: RoomID, after: Int64, limit: Int64, bytes: Int) async throws -> RoomEventsReply {
        guard let room = try await workspaces.key(of: room) else {
            return RoomEventsReply(isComplete: after <= 0, head: 0, end: after, events: [])
        }
        let head = try await messages.head(of: room)
        let through = after < head ? min(head, after + limit) : after
        var found = try await messages.page(
            of: room, after: after, through: through, limit: Int(limit), bytes: bytes)
        try await details.fill(&found, for: .all)
        let isFull = found.reduce(0) { $0 + $1.content.utf8.count } >= bytes
        let end = isFull ? found.last?.seq ?? through : through
        let events = try await roomMessages(found).map { RoomEvent.message($0) }
        return RoomEventsReply(
            isComplete: head >= after && Int64(events.count) == end - after, head: head, end: end, events: events)
    }

    /// The changes after a revision, as events: each changed message once, as it is now.
    func changes(of room: RoomID, after: Int64, limit: Int) async throws -> RoomChangesReply {
        guard let room = try await workspaces.key(of: room) else {
            return RoomChangesReply(rev: 0, head: 0, events: [])
        }
        let page = try await changes.page(of: room, after: after, limit: limit, for: .all)
        let events = try await roomMessages(page.messages).map { RoomEvent.changed(RoomChange($0)) }
        return RoomChangesReply(rev: page.rev, head: page.head, events: events)
    }

    /// The commands that publish the messages or the changes of an outbox row.
    func commands(publishing row: OutboxRow) async throws -> [RedisCommand] {
        let named = try JSONValue(parsing: row.body).elements?.compactMap(Self.message) ?? []
        var stored = try await messages.find(try await keys(of: named, in: row.workspace))
        try await details.fill(&stored, for: .all)
        let found = try await roomMessages(stored)
        let stream = streams.key(ofRow: row.id)
        if row.type == "changes" {
            return ChangePublisher.commands(publishing: found.map { RoomChange($0) }, appendingTo: stream)
        }
        // The relay needs an entry even if the messages have been deleted.
        guard !found.isEmpty else { return [PushEntry.withoutMessages(appendingTo: stream)] }
        return MessagePublisher.commands(publishing: found, appendingTo: stream)
    }

    /// The keys of messages that an outbox row names. A row of a divided outbox has their workspace: a look for the workspaces of rooms
    /// would need all servers.
    private func keys(of named: [(room: RoomID, seq: Int64)], in workspace: Int64) async throws -> [MessageKey] {
        if workspace != 0 {
            return named.map { MessageKey(RoomKey(workspace: WorkspaceID(workspace), id: $0.room), seq: $0.seq) }
        }
        let rooms = try await workspaces.keys(of: Set(named.map(\.room)))
        return named.compactMap { message in rooms[message.room].map { MessageKey($0, seq: message.seq) } }
    }

    private func roomMessages(_ stored: [StoredMessage]) async throws -> [RoomMessage] {
        let people = try await profiles.members(stored.people)
        let rooms = try await names.of(Set(stored.map(\.key.roomKey)))
        return stored.compactMap { message in
            guard let room = rooms[message.room] else { return nil }
            return RoomMessage(
                room: message.room, workspace: room.workspace, name: room.name, body: message.body(people),
                session: message.session)
        }
    }

    /// Reads `[kind, room, seq]`.
    private static func message(_ json: JSONValue) -> (room: RoomID, seq: Int64)? {
        guard let kind = json[0]?.int.flatMap({ RoomID.Kind(rawValue: UInt8(clamping: $0)) }), let room = json[1]?.int,
            let seq = json[2]?.int
        else { return nil }
        return (RoomID(kind: kind, rawValue: Int64(room)), Int64(seq))
    }
}
