import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Internal routes", .serialized)
struct InternalRouteTests {
    private static func since(_ chat: ChatHarness, _ query: String, room: String = "channel-7") async throws
        -> JSONValue
    {
        let reply = try await chat.instances[0].internalCall("GET", "/internal/rooms/\(room)/messages\(query)")
        guard reply.status == 200 else { throw NeverHappened(description: "an answer: \(reply.text)") }
        return try reply.json
    }

    private static func seqs(_ answer: JSONValue) -> [Int] {
        answer["events"]?.elements?.compactMap { $0["seq"]?.int } ?? []
    }

    @Test("A page after any seq is complete, or says that messages are missing")
    func complete() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...60).map { .sample("\($0)", author: Int64($0 % 3 + 1)) })
            // Deletes the oldest messages and one in the middle.
            try await chat.database.database.run(
                sql: "delete from chat.message where seq <= 10 or seq = 30")
            let left = (11...60).filter { $0 != 30 }
            for _ in 0..<80 {
                let (after, limit) = (Int.random(in: 0...62), Int.random(in: 1...70))
                let answer = try await Self.since(chat, "?after_seq=\(after)&limit=\(limit)")
                let wanted = after < 60 ? Array(after + 1...min(60, after + limit)) : []
                #expect(Self.seqs(answer) == wanted.filter(left.contains), "after \(after), \(limit)")
                let isWhole = after <= 60 && wanted.allSatisfy(left.contains)
                #expect(answer["complete"]?.bool == isWhole, "after \(after), \(limit)")
                #expect(answer["head"]?.int == 60)
            }
        }
    }

    @Test("Consecutive pages form the whole history, with all fields of an event")
    func pages() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...1200).map { .sample("\($0)", author: Int64($0 % 3 + 1)) }, at: .now)
            _ = try await chat.database.write((1...600).map { .sample("\($0)", author: 2) }, at: .now + .seconds(5))
            let head = Int(try await chat.database.ask("select last_seq from chat.room")) ?? 0
            #expect(head > 1000)
            var (all, after): ([Int], Int) = ([], 0)
            while true {
                let answer = try await Self.since(chat, "?after_seq=\(after)")
                #expect(answer["complete"]?.bool == true)
                let page = Self.seqs(answer)
                guard let last = page.last else { break }
                #expect(page.count <= 500)
                all += page
                after = last
            }
            #expect(all == Array(1...head))
            let event = try await Self.since(chat, "?after_seq=0&limit=1")["events"]?[0]
            let read = event.flatMap { RoomEvent($0) }
            guard case .message(let message) = read else {
                Issue.record("no message: \(String(describing: read))")
                return
            }
            #expect(message.body.author.nickname == "n2")
            #expect(message.name == "general")
            #expect(message.workspace == WorkspaceID(3))
        }
    }

    @Test("A byte limit ends a page of large messages early, and the page says where the next one begins")
    func large() async throws {
        try await ChatHarness.use { chat in
            let text = String(repeating: "long", count: 7500)
            _ = try await chat.database.write((1...40).map { .sample("\($0) \(text)") })
            var (after, pages): (Int, [[Int]]) = (0, [])
            while after < 40 {
                let answer = try await Self.since(chat, "?after_seq=\(after)&bytes=262144")
                #expect(answer["complete"]?.bool == true)
                pages.append(Self.seqs(answer))
                #expect(answer["end"]?.int == pages.last?.last)
                after = answer["end"]?.int ?? 40
            }
            #expect(pages.flatMap { $0 } == Array(1...40))
            #expect(pages.map(\.count) == [9, 9, 9, 9, 4])
            let whole = try await Self.since(chat, "?after_seq=0")
            #expect(Self.seqs(whole) == Array(1...40))
        }
    }

    @Test("One call returns the heads of a thousand rooms; unknown rooms are absent, more rooms are refused")
    func heads() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: """
                    insert into chat.room (kind, id, workspace, name, last_seq)
                    select 1 + n % 2, n, 3, 'r', n from generate_series(1, 900) as n
                    """)
            func ask(_ rooms: [String]) async throws -> HTTPCall.Reply {
                let list = rooms.map { #""\#($0)""# }.joined(separator: ",")
                return try await chat.instances[0].internalCall(
                    "POST", "/internal/rooms/heads", json: #"{"rooms":[\#(list)]}"#)
            }
            func name(_ number: Int) -> String { (number % 2 == 0 ? "channel-" : "dm-") + "\(number)" }
            let reply = try await ask((1...1000).map(name))
            let heads = try reply.json["heads"]?.elements?.map { ($0["room"]?.string ?? "", $0["seq"]?.int ?? 0) } ?? []
            #expect(
                Dictionary(uniqueKeysWithValues: heads)
                    == Dictionary(uniqueKeysWithValues: (1...900).map { (name($0), $0) }))
            let tooMany = try await ask((1...1001).map(name))
            #expect(tooMany.errorCode == "E11")
            let none = try await chat.instances[0].internalCall("POST", "/internal/rooms/heads", json: "{}")
            #expect(none.errorCode == "E11")
        }
    }

    @Test(
        "An invalid query is refused",
        arguments: ["?after_seq=x", "?after_seq=-1", "?limit=0", "?limit=501", "?limit=many"])
    func refused(_ query: String) async throws {
        try await ChatHarness.use { chat in
            let reply = try await chat.instances[0].internalCall(
                "GET", "/internal/rooms/channel-7/messages" + query)
            #expect(reply.errorCode == "E11")
        }
    }

    @Test("A text of a socket that Postgres cannot store is refused alone; the other messages of its batch are written")
    func unstorable() async throws {
        try await ChatHarness.use { chat in
            let replies = try await withThrowingTaskGroup(of: (isBad: Bool, text: String).self) { group in
                for turn in 0..<40 {
                    let user = turn % 4 + 1
                    let content = turn % 8 == 3 ? #"a\u0000b"# : "good"
                    let name = turn % 8 == 5 ? #"\u0000\#(turn)"# : "\(turn)"
                    let json = """
                        {"user_id":"\(user)","session":"\(user + 1000)","profile":"native","content":"\(content)",\
                        "client_id":"\(name)","to_room":false}
                        """
                    let isBad = turn % 8 == 3 || turn % 8 == 5
                    group.addTask {
                        let reply = try await chat.instances[0].internalCall(
                            "POST", "/internal/rooms/channel-7/messages", json: json)
                        return (isBad, reply.text)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for reply in replies { #expect(reply.text.contains(#""E11""#) == reply.isBad, "\(reply.text)") }
            let counts = try await chat.database.ask("select count(*), min(seq), max(seq) from chat.message")
            #expect(counts == "30|1|30")
        }
    }

    @Test("DM access lists the user's DMs and whether they are open")
    func dms() async throws {
        try await ChatHarness.use { chat in
            for opponent in 2...3 {
                _ = try await chat.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"\#(opponent)"}"#)
            }
            @Sendable func access(_ user: Int64) async throws -> [String] {
                let reply = try await chat.instances[0].internalCall(
                    "POST", "/internal/dms/access", json: #"{"user_id":"\#(user)","rooms":["1","2","77"]}"#)
                return try reply.json["dms"]?.elements?.map { dm in
                    let users = dm["users"]?.elements?.compactMap { $0.string }.joined(separator: ",") ?? ""
                    return "\(dm["room_id"]?.string ?? "") \(users) \(dm["open"]?.bool == true)"
                } ?? []
            }
            #expect(try await access(1) == ["1 1,2 true", "2 1,3 true"])
            #expect(try await access(2) == ["1 1,2 true"])
            #expect(try await access(4) == [])
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#)
            try await eventually("the removal") { try await access(1) == ["1 1,2 false", "2 1,3 true"] }
            // A user gets no DM after leaving, so that no gateway admits them.
            #expect(try await access(2) == [])
        }
    }

    @Test("A page before a seq has the newest messages of the timeline, also above many replies of threads")
    func pageBelowReplies() async throws {
        try await ChatHarness.use { chat in
            let text = String(repeating: "가", count: 10_000)
            for _ in 1...5 { #expect(try await chat.send(text).status == 201) }
            for _ in 1...12 {
                let reply = try await chat.call(
                    "POST", "\(ChatHarness.channel)/chats", json: #"{"content":"aside","thread":1}"#)
                #expect(reply.status == 201)
            }
            let page = try await chat.instances[0].internalCall(
                "POST", "/internal/rooms/channel-7/history",
                json: #"{"user_id":"2","session":"1002","profile":"native","limit":50,"before_seq":100}"#)
            #expect(try page.json["result"]?.list.map { $0["seq"]?.int } == [1, 2, 3, 4, 5])
        }
    }

    @Test("Pages of messages with the most reactions fit into the output of a socket, and leave nothing out")
    func manyReactions() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...50).map { .sample("\($0)") })
            try await chat.database.database.run(
                sql: """
                    insert into chat.reaction (workspace, kind, room, seq, emoji, user_id, reacted_at)
                    select 3, 1, 7, seq, 'e' || emoji, 9000000000000000000 + number, 1
                    from generate_series(1, 50) seq, generate_series(1, 50) emoji, generate_series(1, 20) number;
                    update chat.message set rev = seq
                    """)
            @Sendable func page(_ anchor: String) async throws -> [Int] {
                let reply = try await chat.instances[0].internalCall(
                    "POST", "/internal/rooms/channel-7/history",
                    json: #"{"user_id":"2","session":"1002","profile":"native","limit":50,\#(anchor)}"#)
                #expect(reply.body.count < 1 << 19)
                return try reply.json["result"]?.list.compactMap { $0["seq"]?.int } ?? []
            }
            var (back, onward): ([Int], [Int]) = ([], [])
            while case let found = try await page(#""before_seq":\#(back.first ?? 100)"#), !found.isEmpty {
                back = found + back
            }
            while case let found = try await page(#""after_seq":\#(onward.last ?? 0)"#), !found.isEmpty {
                onward += found
            }
            #expect(back == Array(1...50) && onward == back)
        }
    }

    @Test("A page before a seq has the newest messages, also below a message that fills a page alone")
    func pageAboveLong() async throws {
        try await ChatHarness.use { chat in
            // Ten thousand characters, a quarter of a megabyte.
            let long = String(repeating: "👨‍👩‍👧‍👦", count: 10_000)
            for text in ["one", long, "three", "four"] { #expect(try await chat.send(text).status == 201) }
            let page = try await chat.instances[0].internalCall(
                "POST", "/internal/rooms/channel-7/history",
                json: #"{"user_id":"2","session":"1002","profile":"native","limit":3,"before_seq":100}"#)
            // It may end early, and the next page goes on before its first message.
            #expect(try page.json["result"]?.list.last?["seq"]?.int == 4)
        }
    }
}
