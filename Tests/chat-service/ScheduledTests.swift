import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Scheduled messages", .serialized)
struct ScheduledTests {
    private static let list = "/v1/users/me/scheduled"

    private static func schedule(
        _ chat: ChatHarness, _ content: String, in milliseconds: Int64, user: Int64 = 1,
        _ room: String = ChatHarness.channel, clientID: String? = nil
    ) async throws -> HTTPCall.Reply {
        try await schedule(chat, content, at: .now + .milliseconds(milliseconds), user: user, room, clientID: clientID)
    }

    private static func schedule(
        _ chat: ChatHarness, _ content: String, at: Timestamp, user: Int64 = 1, _ room: String = ChatHarness.channel,
        clientID: String? = nil, on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        let name = clientID.map { #","client_id":"\#($0)""# } ?? ""
        return try await chat.call(
            "POST", "\(room)/scheduled", user: user, json: #"{"content":"\#(content)","at":"\#(at)"\#(name)}"#,
            on: instance)
    }

    private static func items(_ chat: ChatHarness, user: Int64 = 1) async throws -> [JSONValue] {
        try await chat.call("GET", list, user: user).json["items"]?.elements.map(Array.init) ?? []
    }

    /// Lets the time of messages come, each so many milliseconds after the present.
    ///
    /// - Returns: the present.
    @discardableResult
    private static func makeDue(_ chat: ChatHarness, after milliseconds: String = "0") async throws -> Timestamp {
        let now = Timestamp.now
        let time = "\(now.milliseconds) + \(milliseconds)"
        try await chat.database.database.run(sql: "update chat.scheduled set send_at = \(time), due_at = \(time)")
        return now
    }

    private static func untilNothingWaits(_ chat: ChatHarness) async throws {
        try await eventually("the end of all sends") {
            try await chat.database.ask("select count(*) from chat.scheduled where failed_code is null") == "0"
        }
    }

    @Test("R15: a scheduled message is sent once by two instances, one of which is killed again and again")
    func once() async throws {
        try await ChatHarness.use(["scheduled_lease": "200ms"]) { chat in
            let folder = TemporaryFolder("maru-scheduled")
            let settings = [
                "workspace_url": chat.peers.url, "scheduled_lease": "200ms", "internal_address": "127.0.0.1:0",
                "public_address": "127.0.0.1:0",
            ]
            for number in 0..<80 {
                let reply = try await Self.schedule(chat, "\(number)", in: 3_600_000, user: Int64(number % 3 + 1))
                #expect(reply.status == 201, "\(reply.text)")
            }
            let start = try await Self.makeDue(chat, after: "content::bigint * 40")
            for part in 1...3 {
                let other = try await BuiltService(
                    "chat-service", database: chat.database.database, redis: chat.redis, auth: chat.peers.url,
                    in: folder, settings)
                try await eventually("some sends") {
                    let sent = try await chat.database.ask("select count(*) from chat.message")
                    return (Int(sent) ?? 0) >= part * 15
                }
                await other.kill()
            }
            try await Self.untilNothingWaits(chat)
            let texts = try await chat.history().compactMap { $0["content"]?.string }
            #expect(texts.count == 80 && Set(texts) == Set((0..<80).map(String.init)))
            let early = try await chat.database.ask(
                "select count(*) from chat.message where created_at < \(start.milliseconds) + content::bigint * 40")
            #expect(early == "0")
            try await chat.untilPublished()
            // A push job may be published again after a crash.
            #expect(Set(try await chat.pushes()).count == 80)
        }
    }

    @Test("R15: a scheduled message is retried as the same message if its outcome could not be saved")
    func repeated() async throws {
        try await ChatHarness.use(instances: 2, ["scheduled_lease": "100ms"]) { chat in
            try await chat.database.database.run(
                sql: """
                    create table chat.refused (id bigint);
                    create function chat.refuse() returns trigger language plpgsql as
                    'begin raise ''no''; end';
                    create trigger refuse before delete on chat.scheduled for each row execute function chat.refuse()
                    """)
            _ = try await Self.schedule(chat, "하나", in: 3_600_000)
            try await Self.makeDue(chat)
            try await eventually("three attempts") {
                try await chat.database.ask("select max(attempts) >= 3 from chat.scheduled") == "t"
            }
            // The author may not send any more, but the message was sent before that.
            chat.peers.change { $0.channels[7]?.members.remove(1) }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"1"}"#)
            let attempts = Int(try await chat.database.ask("select attempts from chat.scheduled")) ?? 0
            try await eventually("an attempt without access") {
                try await chat.database.ask("select attempts > \(attempts) from chat.scheduled") == "t"
            }
            try await chat.database.database.run(sql: "drop trigger refuse on chat.scheduled")
            try await Self.untilNothingWaits(chat)
            #expect(try await chat.database.ask("select count(*), max(last_seq) from chat.message, chat.room") == "1|1")
            #expect(try await Self.items(chat).isEmpty)
        }
    }

    @Test("R15: a message is never sent after its author was removed; the author finds the reason")
    func removed() async throws {
        try await ChatHarness.use { chat in
            let dm = try await chat.dm(1, 2)
            _ = try await Self.schedule(chat, "채널", in: 3_600_000)
            _ = try await Self.schedule(chat, "쪽지", in: 3_600_000, dm)
            chat.peers.change { state in
                state.channels[7]?.members.remove(1)
                state.workspaces[3]?.remove(2)
            }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"1"}"#)
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":5}"#)
            try await eventually("no access") {
                let sent = try await chat.call("POST", "\(dm)/chats", json: #"{"content":"x"}"#)
                let unread = try await chat.call("GET", "\(ChatHarness.channel)/unreads")
                return sent.errorCode == "E13" && unread.errorCode == "E13"
            }
            let before = try await chat.database.ask("select count(*) from chat.message")
            try await Self.makeDue(chat)
            try await eventually("failures") {
                try await Self.items(chat).count { $0["state"]?.string == "failed" } == 2
            }
            for item in try await Self.items(chat) { #expect(item["error"]?["errorCode"]?.string == "E13") }
            #expect(try await chat.database.ask("select count(*) from chat.message") == before)
            // It can be sent later, once that is possible again.
            chat.peers.change { $0.channels[7]?.members.insert(1) }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"1"}"#)
            let id = try await Self.items(chat).first { $0["content"]?.string == "채널" }?["id"]?.string ?? ""
            try await eventually("access") {
                try await chat.call("GET", "\(ChatHarness.channel)/unreads").status == 200
            }
            let again = try await chat.call(
                "PUT", "\(Self.list)/\(id)", json: #"{"at":"\#(Timestamp.now + .seconds(3600))"}"#)
            #expect(try again.json["state"]?.string == "waiting")
            try await Self.makeDue(chat)
            try await eventually("the message") { try await chat.history().count == 1 }
        }
    }

    @Test("Waiting messages are listed by time, page by page, and can be changed and cancelled by their author")
    func changing() async throws {
        try await ChatHarness.use { chat in
            var ids: [String] = []
            for hours in [3, 1, 2] as [Int64] {
                let reply = try await Self.schedule(chat, "\(hours)", in: hours * 3_600_000)
                #expect(try reply.json["room"]?.string == "channel-7")
                ids.append(try reply.json["id"]?.string ?? "")
            }
            let first = try await chat.call("GET", "\(Self.list)?limit=2").json
            #expect(first["items"]?.elements?.compactMap { $0["content"]?.string } == ["1", "2"])
            let cursor = first["next"]?.string ?? ""
            let second = try await chat.call("GET", "\(Self.list)?limit=2&cursor=\(cursor)").json
            #expect(second["items"]?.elements?.compactMap { $0["content"]?.string } == ["3"])
            #expect(second["next"]?.isNull == true)
            let path = "\(Self.list)/\(ids[0])"
            #expect(try await chat.call("PUT", path, user: 2, json: #"{"content":"x"}"#).errorCode == "E13")
            #expect(try await chat.call("DELETE", path, user: 2).errorCode == "E13")
            #expect(try await chat.call("PUT", path, json: #"{"content":""}"#).errorCode == "E11")
            #expect(try await chat.call("PUT", path, json: #"{"at":"2020-01-01T00:00:00Z"}"#).errorCode == "E11")
            let soon = Timestamp.now + .seconds(1800)
            let changed = try await chat.call("PUT", path, json: #"{"content":"바뀐 글","at":"\#(soon)"}"#)
            #expect(try changed.json["content"]?.string == "바뀐 글")
            #expect(try await chat.call("DELETE", "\(Self.list)/\(ids[1])").status == 200)
            #expect(try await chat.call("DELETE", "\(Self.list)/\(ids[1])").errorCode == "E13")
            #expect(try await Self.items(chat).compactMap { $0["content"]?.string } == ["바뀐 글", "2"])
            try await Self.makeDue(chat, after: "case content when '2' then 3600000 else 0 end")
            try await eventually("the changed one") { try await Self.items(chat).count == 1 }
            #expect(try await chat.history().compactMap { $0["content"]?.string } == ["바뀐 글"])
        }
    }

    @Test("The same client_id schedules one message, and another text under it is refused")
    func idempotence() async throws {
        try await ChatHarness.use { chat in
            let at = Timestamp.now + .seconds(3600)
            let first = try await Self.schedule(chat, "하나", at: at, clientID: "c")
            let again = try await Self.schedule(chat, "하나", at: at, clientID: "c")
            #expect(again.text == first.text)
            #expect(try await Self.schedule(chat, "둘", at: at, clientID: "c").status == 409)
            #expect(try await Self.schedule(chat, "하나", at: at, user: 2, clientID: "c").status == 201)
            #expect(try await Self.items(chat).count == 1)
        }
    }

    @Test("A call that is repeated after its time returns its scheduled message, and one with another text is refused")
    func repeatedLate() async throws {
        try await ChatHarness.use { chat in
            let first = try await Self.schedule(chat, "하나", in: 3_600_000, clientID: "c")
            // Its time has come, and it cannot be sent yet.
            let past = Timestamp.now - .seconds(60)
            try await chat.database.database.run(sql: "update chat.scheduled set send_at = \(past.milliseconds)")
            let again = try await Self.schedule(chat, "하나", at: past, clientID: "c")
            #expect(again.status == 201, "\(again.text)")
            #expect(try again.json["id"]?.string == first.json["id"]?.string)
            #expect(try await Self.schedule(chat, "둘", at: past, clientID: "c").status == 409)
            #expect(try await Self.schedule(chat, "하나", at: past, clientID: "d").errorCode == "E11")
            #expect(try await Self.items(chat).count == 1)
        }
    }

    @Test("A scheduled message that is not valid, or one too many, is refused and nothing is written")
    func refusing() async throws {
        try await ChatHarness.use(["user_scheduled": "2", "scheduled_ahead": "259200s"]) { chat in
            let day: Int64 = 86_400_000
            for milliseconds in [-1000, 0, 4 * day] {
                #expect(try await Self.schedule(chat, "x", in: milliseconds).errorCode == "E11", "\(milliseconds)")
            }
            let path = "\(ChatHarness.channel)/scheduled"
            let soon = Timestamp.now + .seconds(3600)
            for json in [
                "{}", #"{"content":"x"}"#, #"{"content":"x","at":"soon"}"#, #"{"content":"x","at":5}"#,
                #"{"content":"","at":"\#(soon)"}"#, #"{"content":"x","at":"\#(soon)","client_id":""}"#,
            ] {
                #expect(try await chat.call("POST", path, json: json).errorCode == "E11", "\(json)")
            }
            let file = try await chat.call(
                "POST", path, headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                body: Upload.form([.program], [("content", "x"), ("at", "\(soon)")]))
            #expect(file.errorCode == "E11")
            #expect(chat.storedFiles.isEmpty)
            #expect(try await Self.schedule(chat, "x", in: day, user: 5).errorCode == "E13")
            #expect(try await chat.database.ask("select count(*) from chat.scheduled") == "0")
            for content in ["1", "2"] { #expect(try await Self.schedule(chat, content, in: day).status == 201) }
            #expect(try await Self.schedule(chat, "3", in: day).errorCode == "E11")
        }
    }
}
