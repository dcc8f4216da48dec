import EventLoop
import HTTP
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service
@testable import standins

@Suite("Subscriptions to webhooks", .serialized)
struct WebhookSubscriptionTests {
    @Test("No address inside of the operator's network is called: by number, by name, and by a redirect")
    func inside() async throws {
        try await WebhookFixture.use(["webhook_exceptions": "127.0.0.2"]) { fixture in
            let chat = fixture.chat
            for host in [
                "127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "0.0.0.0",
            ] {
                let reply = try await chat.call(
                    "POST", WebhookFixture.path, user: 4,
                    json: #"{"url":"http://\#(host)/a","events":["message"]}"#)
                #expect(reply.errorCode == "E11", "\(host)")
            }
            // Names and unusual numbers are resolved with each connection.
            let port = fixture.url.split(separator: ":").last?.split(separator: "/").first ?? ""
            for host in ["localhost", "2130706433", "0x7f.1", "127.1"] {
                let reply = try await chat.call(
                    "POST", WebhookFixture.path, user: 4,
                    json: #"{"url":"http://\#(host):\#(port)/receivers/a","events":["message"]}"#)
                #expect(reply.status == 201, "\(host)")
            }
            _ = try await chat.send("one")
            try await eventually("refusals") {
                try await chat.database.ask(
                    "select count(*) from chat.webhook_delivery where error like '%not public%'") == "4"
            }
            #expect(fixture.receivers.received("a").isEmpty)
        }
    }

    @Test("A redirect is not followed")
    func redirect() async throws {
        try await WebhookFixture.use { fixture in
            _ = try await fixture.subscribe("a", ["message"])
            // It is sent again after some seconds, which may be over before the test looks.
            fixture.receivers.set("a", statuses: Array(repeating: 307, count: 100), location: fixture.url + "b")
            _ = try await fixture.chat.send("one")
            try await eventually("a refusal") {
                try await fixture.chat.database.ask("select status from chat.webhook_delivery") == "307"
            }
            #expect(fixture.receivers.received("b").isEmpty)
        }
    }

    @Test("Owners and admins manage subscriptions, and each change is in the audit log")
    func managing() async throws {
        try await WebhookFixture.use(["workspace_webhooks": "2"]) { fixture in
            let chat = fixture.chat
            let id = try await fixture.subscribe("a", ["reaction", "message"])
            let listed = try await chat.call("GET", WebhookFixture.path, user: 4).json["items"]
            #expect(listed?[0]?["events"]?.elements?.compactMap(\.string) == ["message", "reaction"])
            #expect(listed?[0]?["secret"] == nil && listed?[0]?["on"]?.bool == true)
            for json in [
                "{}", #"{"url":"https://a.example"}"#, #"{"url":"https://a.example","events":[]}"#,
                #"{"url":"https://a.example","events":["all"]}"#, #"{"url":"ftp://a.example","events":["message"]}"#,
                #"{"url":"https://u:p@a.example","events":["message"]}"#,
                #"{"url":"https://a.example","events":["message"],"channels":["9"]}"#,
            ] {
                let reply = try await chat.call("POST", WebhookFixture.path, user: 4, json: json)
                #expect(reply.errorCode == "E11", "\(json)")
            }
            _ = try await fixture.subscribe("b", ["message"])
            let third = try await chat.call(
                "POST", WebhookFixture.path, user: 4, json: #"{"url":"https://a.example","events":["message"]}"#)
            #expect(third.errorCode == "E11")
            let path = "\(WebhookFixture.path)/\(id)"
            #expect(try await chat.call("PUT", path, user: 4, json: #"{"on":false,"events":["member"]}"#).status == 200)
            #expect(try await chat.call("DELETE", path, user: 4).status == 200)
            #expect(try await chat.call("DELETE", path, user: 4).errorCode == "E13")
            let actions = chat.peers.now.audited.compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(
                actions == ["created", "created", "changed", "deleted"].map { "subscription.\($0)" })
        }
    }

    @Test("After a rotation both secrets sign until the old one ends")
    func rotation() async throws {
        try await WebhookFixture.use { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            let rotated = try await fixture.chat.call("POST", "\(WebhookFixture.path)/\(id)/secret", user: 4)
            let secret = try #require(try rotated.json["secret"]?.string)
            _ = try await fixture.chat.send("one")
            _ = try await fixture.take(1)
            #expect(fixture.receivers.received("a")[0].signatures == "01", "the receiver still has the old secret")
            fixture.receivers.set("a", secret: secret)
            _ = try await fixture.chat.send("two")
            _ = try await fixture.take(2)
            #expect(fixture.receivers.received("a")[1].signatures == "10")
            _ = try await fixture.chat.database.ask(
                "update chat.webhook_subscription set old_seed_until = 0 returning 1")
            _ = try await fixture.chat.send("three")
            _ = try await fixture.take(3)
            #expect(fixture.receivers.received("a")[2].signatures == "1")
            let row = try await fixture.chat.database.ask("select s::text from chat.webhook_subscription s")
            let decoded = Base64.decode(secret.dropFirst(6).utf8.span, .standard)
            let bytes = try #require(decoded)
            #expect(!row.contains(secret) && !row.contains(Hexadecimal.encode(bytes.span)))
        }
    }

    @Test("An operator lists and shows webhooks without the addresses of receivers, and sends an event again")
    func operators() async throws {
        try await WebhookFixture.use { fixture in
            let chat = fixture.chat.instances[0]
            let id = try await fixture.subscribe("a", ["message"])
            _ = try await fixture.chat.send("one")
            _ = try await fixture.take(1)
            try await eventually("the outcome") {
                try await fixture.deliveries(of: id, "?state=delivered").count == 1
            }
            let list = try await chat.operatorCall("GET", "/operator/workspaces/3/webhooks")
            let item = try #require(try list.json["webhooks"]?[0])
            #expect(item["subscription_id"]?.string == id && item["receiver"]?.string == "127.0.0.1")
            #expect(item["on"]?.bool == true && !list.text.contains("receivers/a") && !list.text.contains("secret"))
            #expect(try await chat.operatorCall("GET", "/operator/workspaces/4/webhooks").json["webhooks"]?[0] == nil)
            let shown = try await chat.operatorCall("GET", "/operator/webhooks/\(id)?state=delivered")
            let delivery = try #require(try shown.json["deliveries"]?[0])
            #expect(try shown.json["workspace_id"]?.string == "3" && delivery["seq"]?.int == 1)
            let failed = try await chat.operatorCall("GET", "/operator/webhooks/\(id)?state=failed")
            #expect(try failed.json["deliveries"]?[0] == nil)
            let path = "/operator/webhooks/\(id)/deliveries/\(delivery["delivery_id"]?.string ?? "")/replay"
            #expect(try await chat.operatorCall("POST", path).json["state"]?.string == "waiting")
            _ = try await fixture.take(2)
            let names = fixture.receivers.received("a").map(\.id)
            #expect(names.count == 2 && names[0] == names[1])
            for (method, path, status) in [
                ("GET", "/operator/webhooks/999", 404), ("GET", "/operator/webhooks/\(id)?state=lost", 422),
                ("POST", "/operator/webhooks/\(id)/deliveries/999/replay", 404),
                ("POST", "/operator/webhooks/999/deliveries/1/replay", 404),
            ] { #expect(try await chat.operatorCall(method, path).status == status, "\(path)") }
            _ = try await fixture.chat.call("PUT", "\(WebhookFixture.path)/\(id)", user: 4, json: #"{"on":false}"#)
            #expect(try await chat.operatorCall("POST", path).status == 422)
            #expect(fixture.chat.peers.now.acts.contains("webhooks.replay webhooks/\(id)/deliveries/999 E13"))
        }
    }

    @Test("A subscription gets no event of a member that came before it was made, also if Redis gets the fact again")
    func earlierFacts() async throws {
        try await WebhookFixture.use { fixture in
            _ = try await fixture.subscribe("a", ["member"])
            // workspace-service said then that the workspace has the version 1.
            for (user, version) in [(5, 1), (6, 2)] {
                try await fixture.chat.publishFact(
                    version, "workspace.member.added",
                    #"{"workspace_id":"3","user_id":"\#(user)","version":\#(version)}"#)
            }
            #expect(try await fixture.take(1).map { $0["data"]?["user_id"]?.string } == ["6"])
        }
    }

    @Test("A subscription ends with its workspace, and its old events after their time")
    func ends() async throws {
        try await WebhookFixture.use { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            _ = try await fixture.chat.send("one")
            _ = try await fixture.take(1)
            try await eventually("the outcome") {
                try await fixture.deliveries(of: id, "?state=delivered").count == 1
            }
            try await fixture.chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":9}"#)
            try await eventually("the end") {
                try await fixture.chat.database.ask(
                    """
                    select (select count(*) from chat.webhook_subscription) + (select count(*) from chat.webhook_queue)
                        + (select count(*) from chat.webhook_delivery)
                    """) == "0"
            }
        }
    }
}
