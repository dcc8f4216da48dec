import Glibc
import TestSupport

/// Fills the tables of chat-service with messages of a Korean team chat, without sending them one by one.
struct SearchCorpus {
    /// The messages are spread over this many milliseconds before now.
    private static let span: Int64 = 90 * 86_400_000

    /// Writes `count` messages and brings the statistics up to date.
    static func fill(_ database: TestDatabase, messages count: Int) async throws {
        let folder = TemporaryFolder("maru-search-corpus")
        let path = folder.path + "/messages"
        guard let file = fopen(path, "w") else { throw NeverHappened(description: "cannot write \(path)") }
        var chat = KoreanChat(seed: 1)
        var seqs = [Int64](repeating: 0, count: Int(SearchPeers.channels) + 1)
        let end = Int64(time(nil)) * 1000 - 60_000
        for index in 0..<count {
            // A few rooms are busy and most are quiet.
            let room = chat.skewed(Int(SearchPeers.channels)) + 1
            seqs[room] += 1
            let author = chat.skewed(Int(SearchPeers.users)) + 1
            let at = end - Self.span + Int64(Double(Self.span) * Double(index) / Double(count))
            fputs("1\t\(room)\t\(seqs[room])\t\(author)\t1\t\(chat.message())\t{}\t\(at)\n", file)
        }
        fclose(file)
        let columns = "kind, room, seq, author, session, content, files, created_at"
        try await database.run(sql: "\\copy chat.message (\(columns)) from '\(path)'")
        try await database.run(
            sql: """
                insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                    select 1, room, 1, 'channel-' || room, max(seq), max(created_at) from chat.message group by room
                """)
        try await database.run(sql: "vacuum analyze chat.message")
    }

    /// Waits until every message is indexed; returns the seconds that it took.
    static func untilIndexed(_ database: TestDatabase) async throws -> Double {
        var began = timespec()
        clock_gettime(CLOCK_MONOTONIC, &began)
        try await eventually(within: .seconds(7200), "the index") {
            let behind = try await database.run(
                sql: """
                    select count(*) from chat.room left join chat.search_progress p
                        on p.kind = room.kind and p.room = room.id where p.seq is distinct from room.last_seq
                    """)
            return behind.hasPrefix("0\n")
        }
        var ended = timespec()
        clock_gettime(CLOCK_MONOTONIC, &ended)
        return Double(ended.tv_sec - began.tv_sec)
    }
}
