import LoadClient
import TestSupport

/// pgbench writing messages one at a time: a single statement raises the room's seq and inserts the message into the
/// service's tables, with their workspace as the service does: without it a trigger would look for it, which takes a third more
/// of Postgres. It writes no outbox row.
enum Pgbench {
    /// The ids of its rooms follow those of the service's rooms.
    private static let firstRoom = 100_000

    static func script(for chat: LoadedChat) async throws -> PgbenchScript {
        try await chat.database.run(
            sql: """
                insert into chat.room (kind, id, workspace, name)
                select 1, \(firstRoom) + n, 1, 'general' from generate_series(1, \(Sends.rooms)) as n
                """)
        let script = """
            \\set room random(1, \(Sends.rooms)) + \(firstRoom)
            \\set author random(1, \(Sends.users))
            with raised as (
            update room set last_seq = last_seq + 1,
            last_at = greatest((extract(epoch from clock_timestamp()) * 1000)::bigint, last_at + 2)
            where kind = 1 and id = :room returning last_seq, last_at
            ) insert into message (workspace, kind, room, seq, author, session, content, files, created_at)
            select 1, 1, :room, last_seq, :author, :author + 1000,
            'Good morning! The build of last night is green, I am going to deploy it at ten.', '{}', last_at
            from raised;
            """
        return try PgbenchScript(script, clients: 16, on: chat.database, schema: "chat")
    }
}
