import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import chat_service
@testable import standins

@Suite("Changes of outgoing webhooks", .serialized)
struct WebhookChangeTests {
    @Test("A channel that is added to a subscription begins with its next message")
    func addedChannel() async throws {
        try await WebhookFixture.use { fixture in
            let chat = fixture.chat
            let id = try await fixture.subscribe("a", ["message"], channels: [7])
            for text in ["old", "older"] { _ = try await chat.send(text, to: 8) }
            let path = "\(WebhookFixture.path)/\(id)"
            #expect(try await chat.call("PUT", path, user: 4, json: #"{"channels":["7","8"]}"#).status == 200)
            _ = try await chat.send("new", to: 8)
            // The queue of a channel is in order, so an old message would come first.
            let found = try await fixture.take(1)
            #expect(found.map { $0["data"]?["message"]?["content"]?.string } == ["new"])
        }
    }

    @Test(
        "Waiting events of a channel, or of a kind, that leaves a subscription are not sent", arguments: [true, false])
    func leftOut(isByChannel: Bool) async throws {
        try await WebhookFixture.use { fixture in
            let chat = fixture.chat
            let id = try await fixture.subscribe("a", ["message", "changed"])
            fixture.receivers.set("a", statuses: [500], retryAfter: 600)
            _ = try await chat.send("secret", to: 8)
            try await fixture.delay()
            let json = isByChannel ? #"{"channels":["7"]}"# : #"{"events":["changed"]}"#
            #expect(try await chat.call("PUT", "\(WebhookFixture.path)/\(id)", user: 4, json: json).status == 200)
            #expect(try await fixture.deliveries(of: id, "?state=waiting").isEmpty)
            let failed = try await fixture.deliveries(of: id, "?state=failed")
            #expect(failed.count == 1 && failed[0]["error"]?.string?.contains("not subscribed") == true)
            try await fixture.hurry()
            _ = try await chat.send("here")
            _ = try await chat.call("DELETE", "\(ChatHarness.channel)/chats/1", user: 1)
            _ = try await fixture.take(1)
            try await eventually("the end of all events") {
                try await fixture.deliveries(of: id, "?state=waiting").isEmpty
            }
            #expect(try fixture.taken().allSatisfy { $0.body["data"]?["message"]?["content"]?.string != "secret" })
        }
    }

    @Test("An event that a change has left out and not ended yet is not sent")
    func leftOutBySender() async throws {
        try await WebhookFixture.use { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", statuses: [500], retryAfter: 600)
            _ = try await fixture.chat.send("one")
            try await fixture.delay()
            _ = try await fixture.chat.database.ask(
                "update chat.webhook_subscription set events = '{changed}' returning 1")
            try await fixture.hurry()
            try await eventually("the end of the event") {
                try await fixture.deliveries(of: id, "?state=waiting").isEmpty
            }
            #expect(try await fixture.deliveries(of: id, "?state=failed").count == 1)
            #expect(try fixture.taken().isEmpty)
        }
    }

    @Test(
        "A change while the outcome of a call is recorded waits for it",
        arguments: [#"{"on":false}"#, #"{"url":"https://b.example"}"#, nil])
    func duringRecord(json: String?) async throws {
        try await WebhookFixture.use { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", statuses: [500], retryAfter: 600)
            _ = try await fixture.chat.send("one")
            try await fixture.delay()
            // The locks of the record of a failed call, in its order.
            let status = try await fixture.chat.database.database.holding(
                "update chat.webhook_queue set attempts = attempts",
                then: "update chat.webhook_subscription set failing_since = 1"
            ) {
                try await fixture.chat.call(
                    json == nil ? "DELETE" : "PUT", "\(WebhookFixture.path)/\(id)", user: 4, json: json ?? ""
                ).status
            }
            #expect(status == 200)
        }
    }

    @Test("A deletion and the intake of a message at once do not wait for each other")
    func duringIntake() async throws {
        let file = LogFile()
        // The deletion waits until the intake does, too.
        let settings = ["database_connections": "6", "database_timeout": "3600s"]
        try await WebhookFixture.use(settings, log: file.log(.error)) { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            _ = try await fixture.chat.send("one")
            _ = try await fixture.take(1)
            try await eventually("a queue at rest") {
                try await fixture.chat.database.ask(
                    "select count(*) from chat.webhook_queue where due_at is not null") == "0"
            }
            // The deletion has locked the queue, and waits for the subscription. Then the intake waits for the queue.
            let status = try await fixture.chat.database.database.holding(
                "select from chat.webhook_subscription for no key update", untilWaiting: 2
            ) {
                async let deleted = fixture.chat.call("DELETE", "\(WebhookFixture.path)/\(id)", user: 4)
                try await fixture.chat.database.database.untilBlocked()
                _ = try await fixture.chat.send("two")
                return try await deleted.status
            }
            #expect(status == 200)
            #expect(try await fixture.chat.database.ask("select count(*) from chat.webhook_subscription") == "0")
        }
        #expect(try await file.text() == "")
    }

    @Test("A waiting event about a channel that leaves a subscription is not sent; one about the workspace is")
    func leftOutChannel() async throws {
        try await WebhookFixture.use { fixture in
            let chat = fixture.chat
            let id = try await fixture.subscribe("a", ["member", "channel"])
            _ = try await chat.database.ask(
                """
                insert into chat.webhook_delivery (workspace, subscription, room, event, detail, created_at)
                values (3, \(id), 0, 'member', '{"user_id":"1"}', 1), (3, \(id), 0, 'channel', '{"channel_id":"8"}', 1),
                    (3, \(id), 0, 'channel', '{"channel_id":"7"}', 1) returning 1
                """)
            let path = "\(WebhookFixture.path)/\(id)"
            #expect(try await chat.call("PUT", path, user: 4, json: #"{"channels":["7"]}"#).status == 200)
            let states = try await chat.database.ask(
                "select string_agg(state::text, '' order by id) from chat.webhook_delivery")
            #expect(states == "020")
        }
    }

    @Test("An instance that stops records its calls under way, and leaves its queues to the others")
    func stopping() async throws {
        try await WebhookFixture.use { fixture in
            _ = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", delay: .seconds(1))
            for number in 1...12 { _ = try await fixture.chat.send("\(number)") }
            try await eventually("a call under way") { fixture.receivers.waiting(at: "a") == 1 }
            await fixture.chat.instances[0].running.stop()
            let rows = try await fixture.chat.database.ask(
                "select string_agg(state::text, '' order by id) from chat.webhook_delivery")
            #expect(rows.contains("10") && !rows.contains("01"), "\(rows)")
            let queue = try await fixture.chat.database.ask(
                "select count(*) from chat.webhook_queue where due_at > extract(epoch from clock_timestamp()) * 1000")
            #expect(queue == "0", "it is due at once")
        }
    }
}
