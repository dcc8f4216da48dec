import Search
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Search of unusual texts", .serialized)
struct SearchFuzzTests {
    private static let messages = 400
    private static let queries = 80

    @Test(
        "S1 A search in text of any spelling equals a plain scan, and another spelling of a query finds its message",
        arguments: UnusualText.Kind.allCases)
    func truth(_ kind: UnusualText.Kind) async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [2] }
            var unusual = UnusualText(seed: 21)
            let texts = (0..<Self.messages).map { _ in unusual.message(kind) }
            try await Self.store(texts, in: chat)
            try await chat.untilIndexed()
            let readable = texts.enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
            var (compared, respelled) = (0, 0)
            for number in 0..<Self.queries {
                let source = readable[number * 7 % readable.count]
                let part = unusual.part(of: source)
                let isPhrase = number % 2 == 0 && !part.contains { "\"“”".contains($0) }
                let query = isPhrase ? "\"\(unusual.respelled(part))\"" : unusual.respelled(part)
                let read = SearchQuery(query)
                guard !read.requiredTerms.isEmpty, read.filters.isEmpty else { continue }
                let expected = readable.filter { read.matches(SearchText($0)) }
                let found = try await chat.foundOnAllPages(query)
                #expect(found == expected.reversed(), "\(query.unicodeScalars.map { String($0.value, radix: 16) })")
                compared += 1
                if isPhrase {
                    #expect(found.contains(source), "\(part) of \(source)")
                    respelled += 1
                }
                // The order of `best` hides nothing.
                if number % 8 == 0 {
                    #expect(try await chat.foundOnAllPages(query, "&sort=best").sorted() == found.sorted())
                }
            }
            #expect(compared > Self.queries / 2 && respelled > Self.queries / 4)
        }
    }

    /// Stores the texts as messages of channel 7, and every third one of channel 8, and wakes the indexer.
    private static func store(_ texts: [String], in chat: ChatHarness) async throws {
        var seqs: [Int64: Int] = [7: 0, 8: 0]
        let begin = Timestamp.now.milliseconds - Int64(texts.count) * 1000
        let rows = texts.enumerated().map { index, text in
            let room: Int64 = index % 3 == 0 ? 8 : 7
            seqs[room, default: 0] += 1
            let time = begin + Int64(index) * 1000
            return "(3, 1, \(room), \(seqs[room] ?? 0), 2, 1, $text$\(text)$text$, '{}', \(time))"
        }
        try await chat.database.database.run(
            sql: """
                insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    values \(rows.joined(separator: ", "));
                insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                    select 1, room, 3, 'r', max(seq), max(created_at) from chat.message group by room
                """)
        for room in seqs.keys {
            // No query finds it.
            let sent = try await chat.send("뷁", user: 2, to: room)
            guard sent.status == 201 else { throw NeverHappened(description: sent.text) }
        }
    }
}
