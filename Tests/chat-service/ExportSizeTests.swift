import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Size of exports", .serialized)
struct ExportSizeTests {
    /// The texts of each kind.
    private static let count = 40
    /// SQL of the longest text of a message: 10,000 characters of 25 bytes.
    private static let text = "repeat('👨‍👩‍👧‍👦', 10000)"

    @Test("D2: a page of an export fits into a reply between services, however long its texts are")
    func pages() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.ask(
                """
                insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                    values (1, 7, 3, 'general', \(Self.count), \(Self.count));
                insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    select 3, 1, 7, n, 2, 1, \(Self.text), '{}', n from generate_series(1, \(Self.count)) n;
                insert into chat.message_version (workspace, kind, room, seq, content, written_at, written_by)
                    select 3, 1, 7, n, \(Self.text), 1, 2 from generate_series(1, \(Self.count)) n;
                insert into chat.draft (workspace, user_id, kind, room, thread, content, written_at)
                    select 3, 2, 1, 7, n, \(Self.text), 1 from generate_series(1, \(Self.count)) n;
                """)
            let export = try await ExportedRecords(of: "2") { target in
                let reply = try await chat.instances[0].internalCall("GET", target)
                #expect(reply.status == 200 && reply.text.utf8.count < 8 << 20)
                return try reply.json
            }
            let keys: [(String, StaticString)] = [("messages", "seq"), ("earlierTexts", "seq"), ("drafts", "thread")]
            for (section, key) in keys {
                let numbers = export.sections[section, default: []].compactMap { $0[key]?.int }
                #expect(numbers == Array(1...Self.count), "\(section)")
            }
        }
    }
}
