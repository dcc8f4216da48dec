import Glibc
import TestSupport

/// pgbench doing what a send does, a message at a time: it raises the room's seq and inserts the message, in one statement
/// on the service's own tables. It writes no read position and no outbox row.
struct Pgbench {
    private let chat: LoadedChat
    private let folder = TemporaryFolder("load-pgbench")

    /// Its rooms lie behind those of the service.
    private static let firstRoom = 100_000

    init(_ chat: LoadedChat) async throws {
        self.chat = chat
        try await chat.database.run(
            sql: """
                insert into chat.room (kind, id, workspace, name)
                select 1, \(Self.firstRoom) + n, 1, 'general' from generate_series(1, \(Sends.rooms)) as n
                """)
        let script = """
            \\set room random(1, \(Sends.rooms)) + \(Self.firstRoom)
            \\set author random(1, \(Sends.users))
            with raised as (
            update room set last_seq = last_seq + 1,
            last_at = greatest((extract(epoch from clock_timestamp()) * 1000)::bigint, last_at + 2)
            where kind = 1 and id = :room returning last_seq, last_at
            ) insert into message (kind, room, seq, author, session, content, files, created_at)
            select 1, :room, last_seq, :author, :author + 1000,
            'Good morning! The build of last night is green, I am going to deploy it at ten.', '{}', last_at
            from raised;
            """
        guard let file = fopen(folder.path + "/script", "w") else { throw NeverHappened(description: "a script") }
        fputs(script + "\n", file)
        fclose(file)
    }

    /// Messages a second, and what one costs Postgres in microseconds.
    func run(seconds: Int) async throws -> (rate: Double, cost: Double) {
        let before = chat.cluster.processorTime
        let process = try ChildProcess(
            "/usr/lib/postgresql/15/bin/pgbench",
            [
                "-n", "-M", "prepared", "-c", "16", "-j", "2", "-T", "\(seconds)", "-f", folder.path + "/script",
                chat.database.connectionString + "?options=-csearch_path%3Dchat",
            ], log: folder.path + "/log-\(UInt32.random(in: 0 ... .max))")
        guard await process.wait() == 0, !process.output.contains("aborted"),
            let line = process.output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = Double(line.dropFirst(6).prefix { $0 != " " })
        else { throw NeverHappened(description: "pgbench: \(process.output)") }
        return (rate, (chat.cluster.processorTime - before) * 1e6 / (rate * Double(seconds)))
    }
}
