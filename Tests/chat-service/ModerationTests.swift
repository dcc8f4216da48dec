import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Standing and filtered words", .serialized)
struct ModerationTests {
    private static let chats = "\(ChatHarness.channel)/chats"

    /// User 4 owns workspace 3.
    private static func use(
        _ settings: [String: String] = [:], instances: Int = 1, _ body: (ChatHarness) async throws -> Void
    ) async throws {
        try await ChatHarness.use(instances: instances, settings) { chat in
            try await chat.redis.untilHeard("invalidate:moderation", by: instances)
            chat.peers.change { $0.roles = [4: "owner"] }
            try await body(chat)
        }
    }

    @Test("A muted or suspended member cannot write, edit, react and schedule on any instance, until it ends")
    func standing() async throws {
        try await Self.use(instances: 2) { chat in
            _ = try await chat.send("1", user: 1)
            func set(_ json: String, user: Int64 = 1, by owner: Int64 = 4) async throws -> HTTPCall.Reply {
                try await chat.call("PUT", "/v1/workspaces/3/standings/\(user)", user: owner, json: json)
            }
            let until = Timestamp.now + .seconds(3600)
            _ = try await chat.send("of another one", user: 2)
            #expect(try await chat.call("PUT", "\(Self.chats)/2/pin", user: 2).status == 200)
            #expect(try await set("{}", by: 1).errorCode == "E14")
            #expect(try await set("{}", user: 4).errorCode == "E11")
            #expect(try await set("{}", user: 99).errorCode == "E13")
            #expect(try await set(#"{"mutedUntil":"2020-01-01T00:00:00Z"}"#).errorCode == "E11")
            for state in [#"{"mutedUntil":"\#(until)"}"#, #"{"suspended":true}"#] {
                #expect(try await set(state).status == 200)
                #expect(try await chat.send("2", user: 1).errorCode == "E14", "at once on its own instance")
                try await eventually("the other instance") {
                    try await chat.send("3", user: 1, on: 1).errorCode == "E14"
                }
                let refused = [
                    try await chat.call("PUT", "\(Self.chats)/1", json: #"{"content":"edit"}"#),
                    try await chat.call("PUT", "\(Self.chats)/1/reactions/%F0%9F%91%8D"),
                    try await chat.call("PUT", "\(Self.chats)/1/pin"),
                    try await chat.call("DELETE", "\(Self.chats)/2/pin"),
                    try await chat.call(
                        "POST", "\(ChatHarness.channel)/scheduled", json: #"{"content":"a","at":"\#(until)"}"#),
                    try await chat.instances[0].internalCall(
                        "POST", "/internal/rooms/channel-7/messages",
                        json: """
                            {"user_id":"1","session":"1001","profile":"native","content":"a","client_id":"\(state.count)",\
                            "to_room":false}
                            """),
                ]
                for reply in refused { #expect(reply.text.contains("E14"), "\(reply.text)") }
                let shipped = try await chat.call(
                    "POST", Self.chats, user: 1, key: "collatalk", json: #"{"content":"a"}"#)
                #expect(shipped.status == 400 && shipped.errorCode == "E14")
                let writers = try await chat.instances[0].internalCall(
                    "POST", "/internal/workspaces/3/writers", json: #"{"ids":["1","2"]}"#)
                #expect(writers.text == #"{"ids":["2"]}"#)
                // Reading goes on, and so do others and other workspaces.
                #expect(try await chat.history(user: 1).count > 0)
                #expect(try await chat.send("other", user: 2).status == 201)
                #expect(try await set("{}").status == 200)
                #expect(try await chat.send("again", user: 1).status == 201)
                try await eventually("the other instance") {
                    try await chat.send("3", user: 1, on: 1).status == 201
                }
            }
            let actions = chat.peers.now.audited.compactMap { $0.split(separator: " ").first.map(String.init) }
            let expected = ["muted", "unmuted", "suspended", "reinstated"].map { "moderation.\($0)" }
            #expect(actions == expected)
            let all = try await chat.call("GET", "/v1/workspaces/3/standings", user: 4).json["items"]?.elements
            #expect(all?.map { $0["user_id"]?.string } == ["1"])
        }
    }

    @Test("A suspended admin deletes own messages only")
    func deletions() async throws {
        try await Self.use { chat in
            chat.peers.change { $0.roles[1] = "admin" }
            for user: Int64 in [2, 1, 2] { #expect(try await chat.send("a", user: user).status == 201) }
            #expect(try await chat.call("DELETE", "\(Self.chats)/1").status == 200)
            let suspended = try await chat.call(
                "PUT", "/v1/workspaces/3/standings/1", user: 4, json: #"{"suspended":true}"#)
            #expect(suspended.status == 200)
            #expect(try await chat.call("DELETE", "\(Self.chats)/3").errorCode == "E14")
            #expect(try await chat.call("DELETE", "\(Self.chats)/2").status == 200)
        }
    }

    @Test("A muted or suspended manager gets no address of a webhook to write by, and may delete one")
    func webhooks() async throws {
        try await Self.use { chat in
            chat.peers.change { $0.roles[1] = "admin" }
            func call(_ method: String, _ path: String = "", _ json: String? = nil) async throws -> HTTPCall.Reply {
                try await chat.call(method, ChatHarness.webhooks + path, user: 1, json: json)
            }
            let made = try await call("POST", "", #"{"name":"build"}"#)
            let id = "/" + (try #require(try made.json["webhook_id"]?.string))
            let suspended = try await chat.call(
                "PUT", "/v1/workspaces/3/standings/1", user: 4, json: #"{"suspended":true}"#)
            #expect(suspended.status == 200)
            #expect(try await call("POST", "", #"{"name":"other"}"#).errorCode == "E14")
            #expect(try await call("POST", id + "/secret").errorCode == "E14")
            #expect(try await call("PUT", id, #"{"name":"other"}"#).errorCode == "E14")
            #expect(try await call("DELETE", id).status == 200)
        }
    }

    @Test("Filtered words are refused or masked in sends of every way, edits and scheduled messages")
    func words() async throws {
        try await Self.use(instances: 2) { chat in
            let path = "/v1/workspaces/3/filters"
            let words = #"{"items":[{"word":"바보","action":"reject"},{"word":"spam","action":"mask"}]}"#
            #expect(try await chat.call("PUT", path, user: 1, json: words).errorCode == "E14")
            #expect(try await chat.call("PUT", path, user: 4, json: #"{"items":[{"word":"a"}]}"#).errorCode == "E11")
            #expect(chat.peers.now.audited == [])
            #expect(try await chat.call("PUT", path, user: 4, json: words).text == words)
            #expect(chat.peers.now.audited.map { $0.hasPrefix("moderation.words ") } == [true])
            #expect(try await chat.call("GET", path, user: 4).text == words)
            try await eventually("the other instance") {
                try await chat.send("바보", user: 1, on: 1).errorCode == "E11"
            }
            #expect(try await chat.send("이 바보야", user: 1).errorCode == "E11")
            let sent = try await chat.send("no SPAM please", user: 1, clientID: "c")
            #expect(try sent.json["content"]?.string == "no **** please")
            // The same again is the same message.
            let again = try await chat.send("no SPAM please", user: 1, clientID: "c")
            #expect(try again.json["seq"]?.int == sent.json["seq"]?.int)
            let seq = try #require(try sent.json["seq"]?.int)
            let edited = try await chat.call("PUT", "\(Self.chats)/\(seq)", json: #"{"content":"spam again"}"#)
            #expect(try edited.json["content"]?.string == "**** again")
            #expect(
                try await chat.call("PUT", "\(Self.chats)/\(seq)", json: #"{"content":"바보"}"#).errorCode == "E11")
            let at = Timestamp.now + .seconds(3600)
            func schedule(_ text: String) async throws -> HTTPCall.Reply {
                try await chat.call(
                    "POST", "\(ChatHarness.channel)/scheduled", json: #"{"content":"\#(text)","at":"\#(at)"}"#)
            }
            #expect(try await schedule("바보").errorCode == "E11")
            #expect(try await schedule("later spam").status == 201)
            try await chat.database.database.run(sql: "update chat.scheduled set send_at = 1, due_at = 1")
            try await eventually("the scheduled message") {
                try await chat.history(user: 2).last?["content"]?.string == "later ****"
            }
            // Names of files.
            func upload(_ name: String) async throws -> HTTPCall.Reply {
                try await chat.upload([Upload(name: name, bytes: Upload.pdf.bytes)], content: "file", user: 1)
            }
            let files = try await chat.database.ask("select count(*) from chat.file")
            #expect(try await upload("이 바보.pdf").errorCode == "E11")
            #expect(try await chat.database.ask("select count(*) from chat.file") == files)
            let masked = try await upload("my spam.pdf").text
            #expect(masked.contains("my%20%2A%2A%2A%2A_") && !masked.contains("spam"), "\(masked)")
            // A picture gets its name from the service.
            let named = #"{"items":[{"word":"image","action":"reject"}]}"#
            #expect(try await chat.call("PUT", path, user: 4, json: named).status == 200)
            #expect(try await chat.upload([.png], content: "seen", user: 1).status == 201)
            // The end of the filter.
            #expect(try await chat.call("PUT", path, user: 4, json: #"{"items":[]}"#).text == #"{"items":[]}"#)
            #expect(try await chat.send("바보 spam", user: 1).status == 201)
        }
    }

    @Test("A send costs no query for standing and words once they are known")
    func queries() async throws {
        let cluster = try await PostgresCluster.start([
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=off",
        ])
        try await ChatHarness.use(on: cluster) { chat in
            try await chat.redis.untilHeard("invalidate:moderation", by: 1)
            try await chat.database.database.run(sql: "create extension pg_stat_statements")
            let sends = 40
            for number in 1...sends { #expect(try await chat.send("\(number)").status == 201) }
            let calls = try await chat.database.ask(
                """
                select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
                where datname = current_database() and query ~ 'from (standing|word_filter)'
                """)
            // Two for the first send. They are read again once the service has the confirmation of its subscription to hints, and
            // before that every five seconds.
            #expect(Int(calls).map { $0 <= sends / 2 } == true, "\(calls)")
        }
        await cluster.stop()
    }
}
