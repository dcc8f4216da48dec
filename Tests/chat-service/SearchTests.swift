import Search
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Search", .serialized)
struct SearchTests {
    @Test("S1 A search finds every message that the caller may read and that contains the query, and no other")
    func truth() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [2] }
            var corpus = KoreanChat(seed: 7, rareNouns: 300)
            var texts: [(text: String, isReadable: Bool)] = []
            for index in 0..<300 {
                let text = corpus.message()
                let isReadable = index % 3 != 0
                let sent = try await chat.send(text, user: 2, to: isReadable ? 7 : 8)
                #expect(sent.status == 201)
                texts.append((text, isReadable))
            }
            try await chat.untilIndexed()
            var random = SeededRandom(seed: 3)
            for round in 0..<200 {
                let query = Self.query(round, from: texts.map(\.text), using: &random)
                let read = SearchQuery(query)
                guard read.terms.contains(where: { !$0.isExcluded }) else { continue }
                let expected = texts.filter { $0.isReadable && read.matches(SearchText($0.text)) }.map(\.text)
                let found = try await chat.found(query)
                #expect(found == expected.reversed(), "\(query)")
            }
        }
    }

    @Test("Pages continue where the last one ended, and have every message once")
    func pages() async throws {
        try await ChatHarness.use { chat in
            for number in 0..<25 { _ = try await chat.send("회의 \(number)") }
            try await chat.untilIndexed()
            var (seen, cursor): ([String], String) = ([], "")
            repeat {
                let page = try await chat.search("회의", "&limit=10&cursor=\(cursor)")
                seen += try page.json["items"]?.elements?.compactMap { $0["message"]?["content"]?.string } ?? []
                cursor = try page.json["next"]?.string ?? ""
            } while !cursor.isEmpty
            #expect(seen == (0..<25).reversed().map { "회의 \($0)" })
        }
    }

    @Test("A stranger to the workspace learns nothing")
    func strangers() async throws {
        try await ChatHarness.use { chat in
            for path in ["search", "find"] {
                let reply = try await chat.call("GET", "/v1/workspaces/3/\(path)?q=a", user: 99)
                #expect(reply.status == 404)
            }
        }
    }

    @Test("S2 An edited message is found by its new text only, a deleted one not at all, and a reaction is found")
    func changes() async throws {
        try await ChatHarness.use { chat in
            for text in ["점심 회의", "저녁 회의"] { _ = try await chat.send(text) }
            try await chat.untilIndexed()
            let path = "/v1/workspaces/3/channels/7/chats/"
            _ = try await chat.call("PUT", path + "1", json: #"{"content":"아침 모임"}"#)
            try await chat.untilIndexed()
            #expect(try await chat.found("회의") == ["저녁 회의"])
            #expect(try await chat.found("모임") == ["아침 모임"])
            _ = try await chat.call("PUT", path + "1/reactions/👍".encodedPath)
            try await chat.untilIndexed()
            #expect(try await chat.found("has:reaction") == ["아침 모임"])
            _ = try await chat.call("DELETE", path + "2")
            #expect(try await chat.found("회의") == [])
            try await chat.untilIndexed()
            let entries = try await chat.database.ask("select count(*) from chat.search_message where workspace > 0")
            #expect(entries == "1")
        }
    }

    @Test("Replies are found where a thread has them alone, with their thread, and best puts followed threads first")
    func threads() async throws {
        try await ChatHarness.use { chat in
            let path = ChatHarness.channel + "/chats"
            for text in ["회의 하나", "회의 둘"] { _ = try await chat.send(text, user: 3) }
            for (root, text) in [(1, "회의 답글"), (2, "회의 대답")] {
                let json = #"{"content":"\#(text)","thread":\#(root)}"#
                let sent = try await chat.call("POST", path, user: 3, json: json)
                #expect(sent.status == 201)
            }
            let followed = try await chat.call("PUT", path + "/1/thread/follow")
            #expect(followed.status < 300)
            try await chat.untilIndexed()
            #expect(try await chat.found("회의") == ["회의 대답", "회의 답글", "회의 둘", "회의 하나"])
            #expect(try await chat.found("회의", "&sort=best") == ["회의 답글", "회의 하나", "회의 대답", "회의 둘"])
            let hit = try await chat.search("답글").json["items"]?[0]?["message"]
            #expect(hit?["thread"]?["root"]?.int == 1)
            let root = try await chat.search("하나").json["items"]?[0]?["message"]
            #expect(root?["replies"]?["count"]?.int == 1)
        }
    }

    @Test("Highlights are places in UTF-16 units")
    func highlights() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("👍 회의를 합니다. 회의!")
            try await chat.untilIndexed()
            let hit = try await chat.search("회의", "").json["items"]?[0]
            #expect(hit?["room"]?.string == "channel-7")
            let places = hit?["highlights"]?.elements?.map { [$0[0]?.int, $0[1]?.int] }
            #expect(places == [[3, 2], [12, 2]])
        }
    }

    /// A part of a message, initial consonants of one, or two words of different messages.
    private static func query(_ round: Int, from texts: [String], using random: inout SeededRandom) -> String {
        let text = Array(texts.randomElement(using: &random) ?? "")
        let start = Int.random(in: 0..<text.count, using: &random)
        let part = String(text[start..<min(text.count, start + Int.random(in: 1...5, using: &random))])
        return switch round % 4 {
        case 0: part
        case 1: String(part.map(Self.initial))
        case 2: "\"\(part)\""
        default: "\(part.prefix(2)) -\(texts.randomElement(using: &random)?.prefix(2) ?? "")"
        }
    }

    private static func initial(_ character: Character) -> Character {
        guard let scalar = character.unicodeScalars.first?.value, (0xAC00...0xD7A3).contains(scalar) else {
            return character
        }
        return Array("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")[Int((scalar - 0xAC00) / 588)]
    }
}

extension String {
    fileprivate var encodedPath: String { replacing("👍", with: PercentEncoding.strict.encode("👍")) }
}
