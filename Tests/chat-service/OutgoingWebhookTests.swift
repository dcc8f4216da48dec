import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service
@testable import standins

@Suite("Outgoing webhooks", .serialized)
struct OutgoingWebhookTests {
    private static let chats = "\(ChatHarness.channel)/chats"

    @Test("Messages, mentions, changes and reactions of channels are sent in their order, signed, and each once")
    func events() async throws {
        try await WebhookFixture.use { fixture in
            let chat = fixture.chat
            _ = try await chat.send("before")
            _ = try await fixture.subscribe("a", ["message", "mention", "changed", "reaction"])
            _ = try await chat.send("one")
            _ = try await chat.send("@n2 two")
            let found = try await fixture.take(3)
            #expect(found.map { $0["type"]?.string } == ["message", "message", "mention"])
            #expect(found.map { $0["data"]?["message"]?["content"]?.string } == ["one", "@n2 two", "@n2 two"])
            #expect(found[0]["workspace_id"]?.string == "3" && found[0]["data"]?["room"]?.string == "channel-7")
            #expect(found[0]["data"]?["message"]?["seq"]?.int == 2, "not what was said before")
            let edited = try await chat.call("PUT", "\(Self.chats)/2", json: #"{"content":"uno"}"#)
            #expect(edited.status == 200)
            _ = try await fixture.take(4)
            #expect(try await chat.call("PUT", "\(Self.chats)/2/reactions/%F0%9F%91%8D", user: 2).status == 200)
            let all = try await fixture.take(6)
            #expect(all[3]["type"]?.string == "changed" && all[3]["data"]?["message"]?["content"]?.string == "uno")
            #expect(all[4]["type"]?.string == "changed")
            let reaction = try #require(all[5]["data"])
            #expect(all[5]["type"]?.string == "reaction" && reaction["seq"]?.int == 2)
            #expect(reaction["emoji"]?.string == "👍" && reaction["user_id"]?.string == "2")
            #expect(reaction["action"]?.string == "added")
            #expect(fixture.receivers.received("a").allSatisfy { $0.signatures == "1" })
            #expect(Set(try fixture.taken().map(\.id)).count == 6)
        }
    }

    @Test("DMs, other events, other channels and other workspaces are not sent")
    func others() async throws {
        try await WebhookFixture.use { fixture in
            let chat = fixture.chat
            _ = try await fixture.subscribe("a", ["message"], channels: [7])
            _ = try await fixture.subscribe("b", ["member"])
            let dm = try await chat.dm(1, 2)
            #expect(try await chat.call("POST", dm + "/chats", json: #"{"content":"secret"}"#).status == 201)
            _ = try await chat.send("random", to: 8)
            let other = "/v1/workspaces/4/channels/9/chats"
            #expect(try await chat.call("POST", other, json: #"{"content":"other"}"#).status == 201)
            _ = try await chat.send("here")
            let found = try await fixture.take(1)
            #expect(found.map { $0["data"]?["message"]?["content"]?.string } == ["here"])
            #expect(try await chat.database.ask("select count(*) from chat.webhook_delivery") == "1")
            #expect(try fixture.taken("b").isEmpty)
        }
    }

    @Test("Events of members and channels are made from facts, and a repeated fact is sent once")
    func facts() async throws {
        try await WebhookFixture.use { fixture in
            _ = try await fixture.subscribe("a", ["member", "channel"])
            let member = #"{"workspace_id":"3","user_id":"9","version":5}"#
            let channel = #"{"workspace_id":"3","channel_id":"7","name":"새 이름","version":6}"#
            for id in 1...2 { try await fixture.chat.publishFact(id, "workspace.member.added", member) }
            let random = #"{"workspace_id":"3","channel_id":"8","name":"random","version":"#
            try await fixture.chat.publishFact(3, "channel.changed", channel)
            for id in 4...5 { try await fixture.chat.publishFact(id, "channel.created", random + "7}") }
            try await fixture.chat.publishFact(6, "channel.deleted", random + "8}")
            let found = try await fixture.take(4)
            #expect(found.map { $0["type"]?.string } == ["member", "channel", "channel", "channel"])
            #expect(found[2...].map { $0["data"]?["action"]?.string } == ["created", "deleted"])
            #expect(found[2...].allSatisfy { $0["data"]?["channel_id"]?.string == "8" })
            #expect(found[2]["data"]?["name"]?.string == "random")
            #expect(found[0]["data"]?["action"]?.string == "added" && found[0]["data"]?["user_id"]?.string == "9")
            #expect(found[1]["data"]?["name"]?.string == "새 이름" && found[1]["data"]?["channel_id"]?.string == "7")
        }
    }

    @Test(
        "An event that is refused is sent again with the same name; later ones of its channel wait, and others do not")
    func retry() async throws {
        try await WebhookFixture.use { fixture in
            let chat = fixture.chat
            let id = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", statuses: [500], retryAfter: 600)
            _ = try await chat.send("one")
            _ = try await chat.send("two")
            try await eventually("a refusal") { fixture.receivers.received("a").contains { $0.status == 500 } }
            try await fixture.delay()
            #expect(try await chat.send("x", to: 8).status == 201)
            #expect(try await fixture.take(1)[0]["data"]?["room"]?.string == "channel-8")
            #expect(fixture.receivers.received("a").count == 2, "the second message waits behind the first")
            let waiting = try await fixture.deliveries(of: id, "?state=waiting")
            #expect(waiting.compactMap { $0["seq"]?.int } == [2, 1] && waiting.last?["status"]?.int == 500)
            try await fixture.hurry()
            let all = try await fixture.take(3)
            #expect(all[1...].compactMap { $0["data"]?["message"]?["content"]?.string } == ["one", "two"])
            let calls = fixture.receivers.received("a")
            #expect(calls.first { $0.status == 500 }?.id == calls.filter { $0.status < 300 }[1].id)
        }
    }

    @Test("Two instances send every event of several senders once and in its order")
    func instances() async throws {
        try await WebhookFixture.use(instances: 2) { fixture in
            _ = try await fixture.subscribe("a", ["message"])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in 0..<4 {
                    group.addTask {
                        for number in 1...25 {
                            let reply = try await fixture.chat.send("\(sender) \(number)", on: sender % 2)
                            #expect(reply.status == 201)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try await fixture.take(100)
            #expect(found.compactMap { $0["data"]?["message"]?["seq"]?.int } == Array(1...100))
        }
    }

    @Test("An event outlives the process that was about to send it")
    func lease() async throws {
        try await WebhookFixture.use { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", statuses: [503])
            _ = try await fixture.chat.send("one")
            try await eventually("a refusal") { !fixture.receivers.received("a").isEmpty }
            // The queue as an instance leaves it that has leased it and crashed, and the end of the lease.
            _ = try await fixture.chat.database.ask(
                "update chat.webhook_queue set due_at = 1 where subscription = \(id) and due_at > 0 returning 1")
            #expect(try await fixture.take(1)[0]["data"]?["message"]?["content"]?.string == "one")
        }
    }

    @Test("An event is given up after a day, and the next ones of its channel are sent")
    func patience() async throws {
        try await WebhookFixture.use { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", statuses: [500, 500], retryAfter: 600)
            _ = try await fixture.chat.send("one")
            try await eventually("the record of a refusal") {
                try await fixture.chat.database.ask(
                    "update chat.webhook_delivery set first_tried_at = first_tried_at - 86400000 where attempts > 0 returning 1"
                ) == "1"
            }
            _ = try await fixture.chat.send("two")
            try await fixture.hurry()
            #expect(try await fixture.take(1)[0]["data"]?["message"]?["content"]?.string == "two")
            let failed = try await fixture.deliveries(of: id, "?state=failed")
            #expect(failed.compactMap { $0["seq"]?.int } == [1] && failed[0]["attempts"]?.int == 2)
            // By hand.
            let replayed = try await fixture.chat.call(
                "POST",
                "\(WebhookFixture.path)/\(id)/deliveries/\(failed[0]["delivery_id"]?.string ?? "")/replay", user: 4)
            #expect(replayed.status == 200)
            #expect(try await fixture.take(2)[1]["data"]?["message"]?["content"]?.string == "one")
            let again = try fixture.taken().last?.id
            #expect(again == failed[0]["name"]?.string)
        }
    }

    @Test(
        "A subscription that keeps failing is switched off with an audit entry and a mail, and can be turned on again")
    func off() async throws {
        try await WebhookFixture.use { fixture in
            let id = try await fixture.subscribe("a", ["message"])
            // Only `hurry` lets it be tried again, so that the attempts are counted.
            fixture.receivers.set("a", statuses: [500, 500, 500], retryAfter: 600)
            _ = try await fixture.chat.send("one")
            // The refusal is recorded after the receiver's answer.
            try await eventually("the record of a refusal") {
                try await fixture.chat.database.ask(
                    "update chat.webhook_subscription set failing_since = failing_since - 200000000 where failing_since > 0 returning 1"
                ) == "1"
            }
            try await fixture.hurry()
            // The failure before may be one of long ago, which ended when its event was given up.
            try await eventually("the record of another refusal") {
                try await fixture.chat.database.ask(
                    "update chat.webhook_delivery set first_tried_at = first_tried_at - 3600000 where attempts = 2 returning 1"
                ) == "1"
            }
            #expect(try await fixture.chat.database.ask("select is_on from chat.webhook_subscription") == "t")
            try await fixture.hurry()
            try await eventually("the switch") {
                let item = try await fixture.chat.call("GET", WebhookFixture.path, user: 4).json["items"]?[0]
                return item?["on"]?.bool == false && item?["offReason"]?.string == "The receiver answered 500."
            }
            try await eventually("the mail to the maker") {
                // A notice without an answer in time is sent again under its key.
                fixture.chat.peers.now.noticed.withoutRepeats == ["4 webhook_off 127.0.0.1"]
            }
            #expect(fixture.chat.peers.now.audited.contains { $0.hasPrefix("subscription.off ") })
            _ = try await fixture.chat.send("while it is off")
            let on = try await fixture.chat.call(
                "PUT", "\(WebhookFixture.path)/\(id)", user: 4, json: #"{"on":true}"#)
            #expect(try on.json["on"]?.bool == true && on.json["offReason"] == nil)
            _ = try await fixture.chat.send("after that")
            let found = try await fixture.take(2)
            #expect(
                found.map { $0["data"]?["message"]?["content"]?.string } == ["one", "after that"],
                "what waited is sent, and what was said meanwhile is not")
        }
    }

    @Test("A receiver that answers 410 gets nothing more")
    func gone() async throws {
        try await WebhookFixture.use { fixture in
            _ = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", statuses: [410])
            _ = try await fixture.chat.send("one")
            try await eventually("the switch") {
                try await fixture.chat.call("GET", WebhookFixture.path, user: 4).json["items"]?[0]?["on"]?.bool == false
            }
        }
    }

    @Test("A deleted message is sent without its text, also if it was queued with it")
    func deleted() async throws {
        try await WebhookFixture.use { fixture in
            _ = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("a", statuses: [500], retryAfter: 600)
            _ = try await fixture.chat.send("a secret")
            try await eventually("a refusal") { !fixture.receivers.received("a").isEmpty }
            try await fixture.delay()
            #expect(try await fixture.chat.call("DELETE", "\(Self.chats)/1").status == 200)
            try await fixture.hurry()
            let message = try await fixture.take(1)[0]["data"]?["message"]
            #expect(message?["content"]?.string == "" && message?["deletedAt"] != nil)
        }
    }
}
