import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Bad input to the native API", .serialized)
struct BadNativeInputTests {
    private static let channel = ChatHarness.channel
    private static let chats = "\(ChatHarness.channel)/chats"
    private static let thumb = "%F0%9F%91%8D"
    /// So late that nothing is sent before all tests have ended.
    private static let soon = "\(Timestamp.now + .seconds(86_400))"

    /// The rows of all tables that calls write, without the times at which history was read.
    private static func everything(_ chat: ChatHarness) async throws -> String {
        let tables = [
            "room", "message", "message_change", "message_version", "reaction", "pin", "saved_message", "reply",
            "thread",
            "thread_follower", "mention", "draft", "scheduled", "room_notify", "user_settings", "read_position", "file",
        ]
        let columns = tables.map { "(select json_agg(t order by t::text) from chat.\($0) t)" }
        return try await chat.database.ask(
            "select \(columns.joined(separator: ", ")), (select max(id) from chat.outbox)")
    }

    /// Channel 7 with a message, a deleted one, a thread and a scheduled message; channel 8 with more messages.
    private static func unchanged(_ body: (ChatHarness) async throws -> Void) async throws {
        try await ChatHarness.use { chat in
            for text in ["one", "two", "three"] { _ = try await chat.send(text) }
            _ = try await chat.call("POST", chats, user: 2, json: #"{"content":"reply","thread":3}"#)
            _ = try await chat.call("DELETE", "\(chats)/2")
            for _ in 0..<9 { _ = try await chat.send("elsewhere", to: 8) }
            let path = "\(channel)/scheduled"
            let reply = try await chat.call("POST", path, json: #"{"content":"later","at":"\#(soon)"}"#)
            #expect(reply.status == 201)
            let before = try await everything(chat)
            try await body(chat)
            #expect(try await everything(chat) == before)
        }
    }

    /// The calls about a message, with a body that is right.
    private static func calls(_ seq: String) -> [(String, String, String)] {
        [
            ("PUT", "\(chats)/\(seq)", #"{"content":"x"}"#), ("DELETE", "\(chats)/\(seq)", ""),
            ("GET", "\(chats)/\(seq)/versions", ""), ("PUT", "\(chats)/\(seq)/reactions/\(thumb)", ""),
            ("DELETE", "\(chats)/\(seq)/reactions/\(thumb)", ""), ("PUT", "\(chats)/\(seq)/pin", ""),
            ("DELETE", "\(chats)/\(seq)/pin", ""), ("PUT", "\(chats)/\(seq)/saved", ""),
            ("PUT", "\(chats)/\(seq)/thread/follow", ""), ("PUT", "\(chats)/\(seq)/thread/read", #"{"seq":3}"#),
        ]
    }

    private static func refused(
        _ chat: ChatHarness, _ calls: [(String, String, String)], _ code: String, user: Int64 = 1
    ) async throws {
        for (method, path, json) in calls {
            let reply = try await chat.call(method, path, user: user, json: json.isEmpty ? nil : json)
            #expect(reply.errorCode == code, "\(method) \(path) \(json.prefix(60)): \(reply.text.prefix(200))")
        }
    }

    @Test(
        "An unknown seq, one of another room, a deleted message and no number at all are E13, and nothing is written",
        arguments: ["2", "9", "0", "-1", "x", "1.5", "99999999999999999999", "%00"])
    func seqs(_ seq: String) async throws {
        try await Self.unchanged { chat in
            try await Self.refused(chat, Self.calls(seq), "E13")
            if seq != "2" {
                let reads = ["", "/thread"].map { ("GET", "\(Self.chats)/\(seq)\($0)", "") }
                let others = [
                    ("DELETE", "\(Self.chats)/\(seq)/saved", ""), ("DELETE", "\(Self.chats)/\(seq)/thread/follow", ""),
                ]
                try await Self.refused(chat, reads + others, "E13")
            }
            guard let number = Int(seq), number > 0 else { return }
            try await Self.refused(
                chat,
                [
                    ("POST", Self.chats, #"{"content":"x","thread":\#(number)}"#),
                    ("PUT", "\(Self.channel)/draft", #"{"content":"x","thread":\#(number)}"#),
                    ("POST", "\(Self.channel)/scheduled", #"{"content":"x","thread":\#(number),"at":"\#(Self.soon)"}"#),
                ], "E13")
        }
    }

    @Test("A user outside of the room finds none of its messages, and changes nothing")
    func strangers() async throws {
        try await Self.unchanged { chat in
            let rooms = [
                ("GET", "\(Self.channel)/changes", ""), ("GET", "\(Self.channel)/pins", ""),
                ("GET", "\(Self.channel)/readers", ""), ("PUT", "\(Self.channel)/notify", #"{"level":"none"}"#),
                ("PUT", "\(Self.channel)/draft", #"{"content":"x"}"#),
                ("POST", "\(Self.channel)/scheduled", #"{"content":"x","at":"\#(Self.soon)"}"#),
            ]
            try await Self.refused(chat, Self.calls("1") + rooms, "E13", user: 5)
            // Of a workspace that the user is not in.
            let lists = ["threads", "mentions", "rooms"].map { ("GET", "/v1/workspaces/4/\($0)", "") }
            try await Self.refused(chat, lists, "E13", user: 5)
            let scheduled = try await chat.call("GET", "/v1/users/me/scheduled").json["items"]?[0]?["id"]?.string
            let path = "/v1/users/me/scheduled/\(scheduled ?? "")"
            try await Self.refused(chat, [("PUT", path, #"{"content":"x"}"#), ("DELETE", path, "")], "E13", user: 2)
        }
    }

    @Test("10 MB of JSON are E11 on every route with a body, and nothing is written")
    func size() async throws {
        try await Self.unchanged { chat in
            let large = String(repeating: "x", count: 10 << 20)
            let scheduled = try await chat.call("GET", "/v1/users/me/scheduled").json["items"]?[0]?["id"]?.string ?? ""
            try await Self.refused(
                chat,
                [
                    ("POST", Self.chats, #"{"content":"\#(large)"}"#),
                    ("PUT", "\(Self.chats)/1", #"{"content":"\#(large)"}"#),
                    ("PUT", "\(Self.channel)/draft", #"{"content":"\#(large)"}"#),
                    ("POST", "\(Self.channel)/scheduled", #"{"content":"\#(large)","at":"\#(Self.soon)"}"#),
                    ("PUT", "/v1/users/me/scheduled/\(scheduled)", #"{"content":"\#(large)"}"#),
                    ("PUT", "\(Self.channel)/notify", #"{"level":"all","more":"\#(large)"}"#),
                    ("PUT", "\(Self.channel)/read", #"{"seq":1,"more":"\#(large)"}"#),
                    ("PUT", "\(Self.chats)/3/thread/read", #"{"seq":4,"more":"\#(large)"}"#),
                    ("PUT", "/v1/users/me/settings", #"{"keywords":["\#(large)"]}"#),
                ], "E11")
            // The service still answers.
            #expect(try await chat.call("GET", "\(Self.chats)/1").status == 200)
        }
    }

    @Test("Dates that are past, too far ahead or invalid are E11, and nothing is written")
    func dates() async throws {
        try await Self.unchanged { chat in
            let scheduled = try await chat.call("GET", "/v1/users/me/scheduled").json["items"]?[0]?["id"]?.string ?? ""
            let dates = [
                "0001-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z", "\(Timestamp.now - .milliseconds(1))",
                "\(Timestamp.now + .seconds(121 * 86_400))", "9999-12-31T23:59:59.999Z", "2027-02-30T00:00:00.000Z",
                "2027-01-01T00:00:00", "tomorrow", "", "1767225600000",
            ]
            for date in dates {
                let calls = [
                    ("POST", "\(Self.channel)/scheduled", #"{"content":"x","at":"\#(date)"}"#),
                    ("PUT", "/v1/users/me/scheduled/\(scheduled)", #"{"at":"\#(date)"}"#),
                ]
                try await Self.refused(chat, calls, "E11")
            }
            for date in dates where !date.hasPrefix("9999") && !date.hasPrefix("2027-03") {
                guard Timestamp(date).map({ $0 <= .now }) ?? true else { continue }
                let call = ("PUT", "\(Self.channel)/notify", #"{"level":"all","mutedUntil":"\#(date)"}"#)
                try await Self.refused(chat, [call], "E11")
            }
        }
    }

    @Test("A member that is missing, malformed or too long is E11, and nothing is written")
    func members() async throws {
        try await Self.unchanged { chat in
            let scheduled = try await chat.call("GET", "/v1/users/me/scheduled").json["items"]?[0]?["id"]?.string ?? ""
            let later = "\(Self.channel)/scheduled"
            let long = String(repeating: "가", count: 10_001)
            let texts = ["null", "7", "true", "[]", "{}", #""a\u0000b""#, #""\ud800""#, #""\#(long)""#]
            let numbers = ["1.5", "true", "[1]", "{}", #""x""#, "99999999999999999999"]
            for text in texts {
                let content = #"{"content":\#(text)}"#
                try await Self.refused(
                    chat, [("PUT", "\(Self.chats)/1", content), ("PUT", "\(Self.channel)/draft", content)], "E11")
                try await Self.refused(
                    chat, [("POST", later, #"{"content":\#(text),"at":"\#(Self.soon)"}"#)], "E11")
            }
            for number in numbers {
                let reply = #"{"content":"x","thread":\#(number),"at":"\#(Self.soon)"}"#
                try await Self.refused(
                    chat,
                    [("POST", Self.chats, reply), ("POST", later, reply), ("PUT", "\(Self.channel)/draft", reply)],
                    "E11")
            }
            for number in numbers + ["null"] {
                let marker = #"{"seq":\#(number)}"#
                try await Self.refused(
                    chat,
                    [("PUT", "\(Self.chats)/3/thread/read", marker), ("PUT", "\(Self.channel)/read", marker)], "E11")
            }
            var others = [#""loud""#, "7", "null"].map { ("PUT", "\(Self.channel)/notify", #"{"level":\#($0)}"#) }
            others += ["7", "[]", "\"\""].map { ("POST", later, #"{"content":"x","at":\#($0)}"#) }
            others += ["7", "[]", "\"\""].map { ("PUT", "/v1/users/me/scheduled/\(scheduled)", #"{"at":\#($0)}"#) }
            others += ["7", #""yes""#, "[]"].map { flag in
                ("POST", Self.chats, #"{"content":"x","thread":3,"toRoom":\#(flag)}"#)
            }
            others += ["", "{", "[]", "7", String(repeating: "[", count: 9000)].flatMap { body in
                Self.bodies(scheduled).map { ("PUT", $0, body) }
            }
            others.append(("POST", Self.chats, #"{"content":"x","toRoom":true}"#))
            try await Self.refused(chat, others.filter { !$0.2.isEmpty }, "E11")
        }
    }

    @Test("A null thread counts as an absent one")
    func noThread() async throws {
        try await ChatHarness.use { chat in
            let body = #"{"content":"x","thread":null,"toRoom":null,"at":"\#(Self.soon)"}"#
            for (method, path) in [
                ("POST", Self.chats), ("POST", "\(Self.channel)/scheduled"), ("PUT", "\(Self.channel)/draft"),
            ] {
                let reply = try await chat.call(method, path, json: body)
                #expect(reply.status < 300, "\(path): \(reply.text)")
                #expect(try reply.json["thread"]?.int == nil)
            }
        }
    }

    /// The routes that take a body with PUT.
    private static func bodies(_ scheduled: String) -> [String] {
        [
            "\(chats)/1", "\(channel)/draft", "\(channel)/notify", "\(channel)/read", "\(chats)/3/thread/read",
            "/v1/users/me/settings", "/v1/users/me/scheduled/\(scheduled)",
        ]
    }

    @Test(
        "A reaction that is not one emoji is E11, and nothing is written",
        arguments: [
            "a", "1", "%23", "%20", "%EA%B0%80", ":+1:", "%F0%9F%91%8D%F0%9F%91%8D", "%F0%9F%91%8Da",
            "%F0%9F%87%B0", "%F0%9F%8F%BD", "%E2%80%8D", "%EF%B8%8F", "%E2%9D%A4", "%00", "%F0%9F%91%8D%00",
        ])
    func emoji(_ text: String) async throws {
        try await Self.unchanged { chat in
            let calls = ["PUT", "DELETE"].map { ($0, "\(Self.chats)/1/reactions/\(text)", "") }
            try await Self.refused(chat, calls, "E11")
        }
    }

    @Test("Malformed cursors and limits are E11 on every list")
    func lists() async throws {
        try await Self.unchanged { chat in
            let lists = [
                "\(Self.channel)/pins", "/v1/users/me/saved", "/v1/users/me/scheduled", "/v1/workspaces/3/threads",
                "/v1/workspaces/3/mentions", "\(Self.chats)/1/versions",
            ]
            for list in lists {
                let queries = ["cursor=x", "cursor=-1", "cursor=1-x", "limit=0", "limit=201", "limit=x"]
                try await Self.refused(chat, queries.map { ("GET", "\(list)?\($0)", "") }, "E11")
            }
            let others = ["thread?after_seq=-1", "thread?limit=0", "thread?after_seq=x"].map { "\(Self.chats)/3/\($0)" }
            let changes = ["after_rev=-1", "after_rev=x", "limit=0", "limit=501"].map {
                "\(Self.channel)/changes?\($0)"
            }
            try await Self.refused(chat, (others + changes).map { ("GET", $0, "") }, "E11")
        }
    }
}
