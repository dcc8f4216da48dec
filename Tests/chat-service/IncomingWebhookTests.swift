import Crypto
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Incoming webhooks", .serialized)
struct IncomingWebhookTests {
    @Test("A program's request to an address appears in the room as a message of a bot")
    func messages() async throws {
        try await ChatHarness.use { chat in
            let webhook = try await chat.makeWebhook("빌드")
            let sent = try await chat.post(#"{"content":"빌드가 끝났습니다","username":"대표"}"#, to: webhook.address)
            #expect(sent.status == 201)
            #expect(try sent.json["seq"]?.int == 1)
            #expect(try await chat.unread(user: 1) == 1)
            // Shipped apps and native ones see the same author.
            for key in ["native", "gen-2024-07", "collatalk"] {
                let message = try #require(try await chat.history(key: key).first)
                #expect(message["content"]?.string == "빌드가 끝났습니다")
                #expect(message["user"]?["nickname"]?.string == "빌드", "not the name that the program claims")
            }
            try await chat.untilPublished()
            // A message that is marked too late is published again.
            #expect(try await chat.pushes().withoutRepeats == ["channel-7:1"])
        }
    }

    @Test("Owners and admins of the workspace manage webhooks, and each change is in the audit log")
    func managing() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.roles = [4: "owner", 5: "admin"] }
            let webhook = try await chat.makeWebhook()
            let path = "\(ChatHarness.webhooks)/\(webhook.id)"
            let renamed = try await chat.call("PUT", path, user: 5, json: #"{"name":"deploy"}"#)
            #expect(try renamed.json["name"]?.string == "deploy")
            let listed = try await chat.call("GET", ChatHarness.webhooks, user: 5).json["items"]
            #expect(listed?.elements?.map { $0["webhook_id"]?.string } == [webhook.id])
            #expect(listed?[0]?["name"]?.string == "deploy" && listed?[0]?["url"] == nil)
            #expect(chat.peers.now.bots.map(\.nickname) == ["deploy"])
            for name in ["", " ", String(repeating: "a", count: 31), "\u{202E}a"] {
                let reply = try await chat.call("PUT", path, user: 4, json: #"{"name":"\#(name)"}"#)
                #expect(reply.errorCode == "E11", "\(name)")
            }
            #expect(try await chat.call("POST", path + "/secret", user: 5).status == 200)
            #expect(try await chat.call("DELETE", path, user: 5).status == 200)
            #expect(try await chat.call("DELETE", path, user: 5).errorCode == "E13")
            // Of another channel.
            let other = "/v1/workspaces/3/channels/8/webhooks/\((try await chat.makeWebhook()).id)"
            #expect(try await chat.call("DELETE", other, user: 4).errorCode == "E13")
            let actions = chat.peers.now.audited.compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(actions == ["created", "renamed", "rotated", "deleted", "created"].map { "webhook.\($0)" })
        }
    }

    @Test("A rotated address replaces the old one at once on every instance, and a deleted webhook has none")
    func rotation() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let webhook = try await chat.makeWebhook()
            let path = "\(ChatHarness.webhooks)/\(webhook.id)"
            for instance in 0...1 {
                let sent = try await chat.post(#"{"content":"a"}"#, to: webhook.address, on: instance)
                #expect(sent.status == 201)
            }
            let rotated = try await chat.call("POST", path + "/secret", user: 4)
            let address = "/v1" + (try rotated.json["url"]?.string ?? "")
            for instance in 0...1 {
                let old = try await chat.post(#"{"content":"a"}"#, to: webhook.address, on: instance)
                #expect(old.status == 404)
                #expect(try await chat.post(#"{"content":"a"}"#, to: address, on: instance).status == 201)
            }
            #expect(try await chat.call("DELETE", path, user: 4).status == 200)
            for instance in 0...1 {
                #expect(try await chat.post(#"{"content":"a"}"#, to: address, on: instance).status == 404)
            }
        }
    }

    @Test("The database has the digest of a secret and not the secret, and no log has the address")
    func secrecy() async throws {
        let file = LogFile()
        try await ChatHarness.use(["log_sample": "1"], log: file.log(.debug, of: "chat-service")) { chat in
            let webhook = try await chat.makeWebhook()
            let secret = String(webhook.address.split(separator: "/").last ?? "")
            #expect(try await chat.post(#"{"content":"a"}"#, to: webhook.address).status == 201)
            #expect(try await chat.post("{", to: webhook.address).status >= 400)
            let rows = try await chat.database.ask("select incoming_webhook::text from chat.incoming_webhook")
            let digest = try #require(BearerSecret(secret)).hash
            #expect(rows.contains(Hexadecimal.encode(digest.span)) && !rows.contains(secret))
            let text = try await file.text()
            #expect(text.contains("/v1/webhooks/incoming/{secret}") && !text.contains(secret))
        }
    }

    @Test("The same Idempotency-Key and content is one message, and other content under it is refused")
    func idempotency() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let webhook = try await chat.makeWebhook()
            let sent = try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for instance in [0, 1, 0, 1] {
                    group.addTask {
                        try await chat.post(#"{"content":"a"}"#, to: webhook.address, key: "k", on: instance)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(sent.map(\.text)).count == 1 && sent.allSatisfy { $0.status == 201 })
            let other = try await chat.post(#"{"content":"b"}"#, to: webhook.address, key: "k")
            #expect(other.status == 409)
            // The key is the webhook's own.
            let second = try await chat.makeWebhook()
            #expect(try await chat.post(#"{"content":"b"}"#, to: second.address, key: "k").status == 201)
            #expect(try await chat.history().count == 2)
        }
    }

    @Test("With public_url, the addresses of webhooks are absolute")
    func wholeAddress() async throws {
        try await ChatHarness.use(["public_url": "https://chat.example.com/"]) { chat in
            let webhook = try await chat.makeWebhook()
            let (base, path) = ("https://chat.example.com", webhook.address.dropFirst("https://chat.example.com".count))
            #expect(webhook.address.hasPrefix(base + "/v1/webhooks/incoming/"))
            #expect(try await chat.post(#"{"content":"a"}"#, to: String(path)).status == 201)
            let rotated = try await chat.call("POST", "\(ChatHarness.webhooks)/\(webhook.id)/secret", user: 4)
            #expect(try rotated.json["url"]?.string?.hasPrefix(base + "/v1/webhooks/incoming/") == true)
        }
    }

    @Test("A refusal is a problem document with its true status")
    func refusals() async throws {
        try await ChatHarness.use { chat in
            let webhook = try await chat.makeWebhook()
            let long = String(repeating: "가", count: 10_001)
            for (json, type, status) in [
                ("{}", "application/json", 422), (#"{"content":""}"#, "application/json", 422),
                (#"{"content":1}"#, "application/json", 422), (#"{"content":"\#(long)"}"#, "application/json", 413),
                ("[]", "application/json", 400), ("{", "application/json", 422),
                ("content=a", "application/x-www-form-urlencoded", 422),
            ] {
                let reply = try await chat.post(json, to: webhook.address, type: type)
                #expect(reply.status == status, "\(json.prefix(20)): \(reply.text)")
                #expect(reply.headers["content-type"] == "application/problem+json")
                #expect(try reply.json["status"]?.int == reply.status && reply.errorCode == "E11")
            }
            let key = String(repeating: "k", count: 65)
            #expect(try await chat.post(#"{"content":"a"}"#, to: webhook.address, key: key).errorCode == "E11")
            let wrong = Base64.encode(SecureRandom.bytes(32).span, .url)
            for secret in [wrong, "x", webhook.address.split(separator: "/").last.map { "\($0)a" } ?? ""] {
                let reply = try await chat.post(#"{"content":"a"}"#, to: "/v1/webhooks/incoming/\(secret)")
                #expect(reply.status == 404 && reply.errorCode == "E13")
            }
            #expect(try await chat.history().isEmpty)
        }
    }

    @Test("A webhook that sends too much learns when to continue, and others are not held up")
    func rate() async throws {
        try await ChatHarness.use(["webhook_burst": "2"]) { chat in
            let (webhook, other) = (try await chat.makeWebhook(), try await chat.makeWebhook())
            var replies: [HTTPCall.Reply] = []
            repeat {
                replies.append(try await chat.post(#"{"content":"a"}"#, to: webhook.address))
            } while replies.last?.status == 201 && replies.count < 1000
            #expect(replies.count > 2)
            #expect(replies.last?.status == 429 && replies.last?.errorCode == "E98")
            #expect(replies.last?.headers["retry-after"] != nil)
            #expect(try await chat.post(#"{"content":"a"}"#, to: other.address).status == 201)
        }
    }

    @Test("A channel has at most `channel_webhooks`")
    func limit() async throws {
        try await ChatHarness.use(["channel_webhooks": "2"]) { chat in
            for _ in 1...2 { _ = try await chat.makeWebhook() }
            let third = try await chat.call("POST", ChatHarness.webhooks, user: 4, json: #"{"name":"c"}"#)
            #expect(third.errorCode == "E11")
            #expect(chat.peers.now.bots.count == 2)
        }
    }

    /// Makes a webhook of channel 7. Before its row is inserted, the channel changes, and the fact of that is applied. The call waits for
    /// that as long as `database_timeout`.
    private static func make(
        _ chat: ChatHarness, while fact: String, name: String, _ change: (inout PeersOfChat) -> Void
    ) async throws -> HTTPCall.Reply {
        chat.peers.change { $0.roles[4] = "owner" }
        let limit = LimitLock.incomingWebhooks(ChannelID(7)).name
        let lock = "select pg_advisory_xact_lock(hashtextextended('\(limit)', 0))"
        return try await chat.database.database.holding(lock, untilWaiting: 2) {
            async let made = chat.call("POST", ChatHarness.webhooks, user: 4, json: #"{"name":"build"}"#)
            try await chat.database.database.untilBlocked()
            chat.peers.change { change(&$0) }
            // Facts are consumed in order, so the first one has been applied when the second one has.
            let rest = #""name":"\#(name)","version":3}"#
            try await chat.publishFact(1, fact, #"{"workspace_id":"3","channel_id":"7",\#(rest)"#)
            try await chat.publishFact(2, "channel.deleted", #"{"workspace_id":"4","channel_id":"9",\#(rest)"#)
            try await eventually("the facts") {
                try await chat.database.ask("select count(*) from chat.room where id = 9 and is_closed") == "1"
            }
            // The second session that waits ends the hold.
            try await chat.database.database.run(sql: lock)
            return try await made
        }
    }

    @Test("A webhook that is made while its channel is deleted does not stay")
    func channelDeletedMeanwhile() async throws {
        try await ChatHarness.use(["database_timeout": "3600s"]) { chat in
            let reply = try await Self.make(chat, while: "channel.deleted", name: "general") { $0.channels[7] = nil }
            #expect(reply.errorCode == "E13", "\(reply.text)")
            #expect(try await chat.database.ask("select count(*) from chat.incoming_webhook") == "0")
        }
    }

    @Test("A webhook that is made while its channel is renamed writes under the new name")
    func channelRenamedMeanwhile() async throws {
        try await ChatHarness.use(["database_timeout": "3600s"]) { chat in
            let reply = try await Self.make(chat, while: "channel.changed", name: "새 이름") { state in
                state.channels[7]?.name = "새 이름"
                state.channels[7]?.version = 3
            }
            #expect(reply.status == 201, "\(reply.text)")
            #expect(try await chat.database.ask("select channel_name from chat.incoming_webhook") == "새 이름")
        }
    }

    @Test("A webhook writes under the channel's new name, and ends with the channel or the workspace")
    func facts() async throws {
        try await ChatHarness.use { chat in
            let webhook = try await chat.makeWebhook()
            let body = #""workspace_id":"3","channel_id":"7","name":"새 이름""#
            try await chat.publishFact(1, "channel.changed", "{\(body),\"version\":2}")
            try await eventually("the name") {
                try await chat.database.ask("select channel_name from chat.incoming_webhook") == "새 이름"
            }
            #expect(try await chat.post(#"{"content":"a"}"#, to: webhook.address).status == 201)
            #expect(try await chat.database.ask("select name from chat.room where id = 7") == "새 이름")
            try await chat.publishFact(2, "channel.deleted", "{\(body),\"version\":3}")
            try await eventually("the end of the address") {
                try await chat.post(#"{"content":"a"}"#, to: webhook.address).status == 404
            }
            try await eventually("the end of the row") {
                try await chat.database.ask("select count(*) from chat.incoming_webhook") == "0"
            }
        }
    }
}
