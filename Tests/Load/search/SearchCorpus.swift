import EventLoop
import Glibc
import TestSupport

/// The messages of a Korean team chat in a file that Postgres can copy, so that databases are filled without sends.
struct SearchCorpus {
    /// The messages are spread over this many milliseconds before now.
    private static let span: Int64 = 90 * 86_400_000
    private static let columns = "kind, room, seq, author, session, content, files, created_at, workspace"

    private let folder = TemporaryFolder("maru-search-corpus")
    private var path: String { folder.path + "/messages" }

    init(messages count: Int) throws {
        guard let file = fopen(path, "w") else { throw NeverHappened(description: "cannot write \(path)") }
        defer { fclose(file) }
        var chat = KoreanChat(seed: 1)
        var seqs = [Int64](repeating: 0, count: Int(SearchPeers.channels) + 1)
        let end = Int64(time(nil)) * 1000 - 60_000
        for index in 0..<count {
            // A few rooms are busy and most are quiet.
            let room = chat.skewed(Int(SearchPeers.channels)) + 1
            seqs[room] += 1
            let author = chat.skewed(Int(SearchPeers.users)) + 1
            let at = end - Self.span + Int64(Double(Self.span) * Double(index) / Double(count))
            fputs("1\t\(room)\t\(seqs[room])\t\(author)\t1\t\(chat.message())\t{}\t\(at)\t1\n", file)
        }
    }

    /// Copies the messages into a table of a database.
    func copy(to table: String, of database: TestDatabase) async throws {
        try await database.run(sql: "\\copy \(table) (\(Self.columns)) from '\(path)'")
        try await database.run(sql: "vacuum analyze \(table)")
    }

    /// Fills the tables of chat-service.
    func fill(_ database: TestDatabase) async throws {
        try await copy(to: "chat.message", of: database)
        try await database.run(
            sql: """
                insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                    select 1, room, 1, 'channel-' || room, max(seq), max(created_at) from chat.message group by room
                """)
    }

    /// Waits until chat-service has indexed every message; returns the seconds that it took.
    static func untilIndexed(_ database: TestDatabase) async throws -> Double {
        let began = EventLoop.preciseNow
        try await eventually(within: .seconds(36_000), "the index") {
            try await pause(for: .milliseconds(500))
            let behind = try await database.run(
                sql: """
                    select count(*) from chat.room left join chat.search_progress p
                        on p.kind = room.kind and p.room = room.id where p.seq is distinct from room.last_seq
                    """)
            return behind.hasPrefix("0\n")
        }
        return Double(EventLoop.preciseNow - began) / 1e9
    }
}
