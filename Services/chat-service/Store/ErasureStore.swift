import Postgres
import Wire

/// What is left of closed rooms. The rooms themselves stay, so that nothing is said in them again.
struct ErasureStore: Sendable {
    let database: PostgresPool

    private static let waiting = Statement.read(
        "rooms to erase",
        """
        select kind, id from room
        where is_closed and not is_erased and (kind, id) > ($1::smallint, $2::bigint) order by kind, id limit $3
        """)
    /// What another instance is erasing is left to it: to wait for that would look like having found nothing.
    private static let messages = Statement.write(
        "erase messages",
        """
        delete from message where (kind, room, seq) in
            (select kind, room, seq from message where kind = $1 and room = $2 limit 5000 for update skip locked)
        """)
    private static let positions = Statement.write(
        "erase read positions",
        """
        delete from read_position
        where (kind, room) in (select * from unnest($1::smallint[], $2::bigint[]) as erased (kind, room))
        """)
    private static let removals = Statement.write(
        "erase removals",
        """
        delete from removal
        where (kind, room) in (select * from unnest($1::smallint[], $2::bigint[]) as erased (kind, room))
        """)
    private static let finish = Statement.write(
        "note erased rooms",
        """
        update room set is_erased = true
        where (kind, id) in (select * from unnest($1::smallint[], $2::bigint[]) as erased (kind, id))
            and not exists (select from message where message.kind = room.kind and message.room = room.id)
            and not exists (select from file where file.kind = room.kind and file.room = room.id)
        """)

    /// Closed rooms of which something may be left, in the order of their ids, behind one of them.
    func waiting(after last: RoomID?, limit: Int) async throws -> [RoomID] {
        try await database.query(Self.waiting, last?.kindNumber ?? 0, last?.rawValue ?? 0, limit)
            .map { row throws(PostgresError) in try row.nextRoom() }
    }

    /// Deletes what was said, in pieces.
    func eraseMessages(of room: RoomID) async throws {
        while try await database.execute(Self.messages, room.kindNumber, room.rawValue) > 0 {
            try Task.checkCancellation()
        }
    }

    /// Deletes what else is known of rooms, and notes of which of them nothing is left.
    func finish(_ rooms: [RoomID]) async throws {
        let (kinds, ids) = (rooms.map(\.kindNumber), rooms.map(\.rawValue))
        var batch = PostgresBatch()
        try batch.add(Self.positions, kinds, ids)
        try batch.add(Self.removals, kinds, ids)
        try batch.add(Self.finish, kinds, ids)
        try await database.run(batch)
    }
}
