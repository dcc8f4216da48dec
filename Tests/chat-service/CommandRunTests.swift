import Crypto
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service
@testable import standins

/// User 5 is the bot of the command `slow` in workspace 3; user 1 runs it in channel 7.
@Suite("Runs of commands", .serialized)
struct CommandRunTests {
    private static let path = "\(ChatHarness.channel)/commands"

    private static func use(
        _ settings: [String: String] = [:], _ body: (WebhookFixture) async throws -> Void
    ) async throws {
        // On a machine that stands still, an answer of the bot may come late.
        let all = ["command_timeout": "30s"].merging(settings) { _, own in own }
        try await WebhookFixture.use(instances: 2, all) { fixture in
            try await make(url: fixture.url + "bot", in: fixture.chat)
            fixture.receivers.set("bot", statuses: Array(repeating: 202, count: 100))
            try await body(fixture)
        }
    }

    private static func make(url: String, in chat: ChatHarness) async throws {
        _ = try await chat.database.ask(
            """
            insert into chat.command (workspace, bot, name, description, url, seed, created_at)
            values (3, 5, 'slow', 'd', '\(url)', '\\x00', 0)
            """)
    }

    private static func run(_ chat: ChatHarness, user: Int64 = 1) async throws -> HTTPCall.Reply {
        try await chat.call("POST", path, user: user, json: #"{"name":"slow"}"#)
    }

    /// Runs the command, and returns the address that the bot is given.
    private static func address(_ fixture: WebhookFixture) async throws -> String {
        let reply = try await run(fixture.chat)
        #expect(try reply.json["state"]?.string == "waiting", "\(reply.text)")
        let call = try JSONValue(parsing: try #require(fixture.receivers.received("bot").last).body)
        let url = try #require(call["data"]?["answerUrl"]?.string)
        return url.hasPrefix("/") ? "/v1" + url : url
    }

    @Test("An address can be used once, on any instance, and expires")
    func once() async throws {
        try await Self.use { fixture in
            let chat = fixture.chat
            let address = try await Self.address(fixture)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for instance in [0, 1, 0, 1] {
                    group.addTask {
                        try await chat.post(#"{"text":"a","visible":"all"}"#, to: address, on: instance).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 404, 404, 404])
            #expect(try await chat.history().map { $0["content"]?.string } == ["a"])
            let late = try await Self.address(fixture)
            _ = try await chat.database.ask("update chat.command_run set expires_at = 1 returning 1")
            #expect(try await chat.post(#"{"text":"b"}"#, to: late).status == 404)
        }
    }

    @Test("With public_url, bots get absolute addresses")
    func wholeAddress() async throws {
        try await Self.use(["public_url": "https://chat.example.com"]) { fixture in
            let address = try await Self.address(fixture)
            #expect(address.hasPrefix("https://chat.example.com/v1/webhooks/answers/"))
            let path = String(address.dropFirst("https://chat.example.com".count))
            #expect(try await fixture.chat.post(#"{"text":"a"}"#, to: path).status == 200)
        }
    }

    @Test("A refused answer leaves the address to another attempt")
    func anotherAttempt() async throws {
        try await Self.use { fixture in
            let chat = fixture.chat
            let words = #"{"items":[{"word":"바보","action":"reject"}]}"#
            #expect(try await chat.call("PUT", "/v1/workspaces/3/filters", user: 4, json: words).status == 200)
            let address = try await Self.address(fixture)
            #expect(try await chat.post(#"{"text":"바보","visible":"all"}"#, to: address).errorCode == "E11")
            chat.peers.change { $0.isAccessDown = true }
            #expect(try await chat.post(#"{"text":"a","visible":"all"}"#, to: address).errorCode == "E99")
            chat.peers.change { $0.isAccessDown = false }
            #expect(try await chat.post(#"{"text":"a","visible":"all"}"#, to: address).status == 200)
            #expect(try await chat.history().count == 1)
        }
    }

    @Test("A private answer reaches its caller alone, and is in no table")
    func privacy() async throws {
        try await Self.use { fixture in
            let chat = fixture.chat
            let listener = try HintListener(chat.redis, "private-answers")
            let address = try await Self.address(fixture)
            #expect(try await chat.post(#"{"text":"nur du"}"#, to: address).status == 200)
            let hint = try await listener.next()
            #expect(hint["to"]?.string == "1" && hint["text"]?.string == "nur du" && hint["user_id"]?.string == "5")
            #expect(try await chat.history().isEmpty)
            #expect(try await chat.database.ask("select count(*) from chat.command_run") == "0")
        }
    }

    @Test("The database has the digest of the secret of an address alone, and no text of the caller")
    func secrecy() async throws {
        try await Self.use { fixture in
            let address = try await Self.address(fixture)
            let secret = String(address.split(separator: "/").last ?? "")
            let row = try await fixture.chat.database.ask("select command_run::text from chat.command_run")
            let digest = try #require(BearerSecret(secret)).hash
            #expect(row.contains(Hexadecimal.encode(digest.span)) && !row.contains(secret))
        }
    }

    @Test("A command runs in rooms that its caller may write to, as a send does")
    func access() async throws {
        try await Self.use { fixture in
            let outsiders: [Int64] = [5, 6]
            for user in outsiders {
                let (refused, unsent) = (
                    try await Self.run(fixture.chat, user: user), try await fixture.chat.send("a", user: user)
                )
                #expect(refused.errorCode == "E13" && unsent.errorCode == "E13")
            }
            #expect(fixture.receivers.received("bot").isEmpty)
        }
    }

    @Test("An answer after its caller has lost the room is refused")
    func lostAccess() async throws {
        try await Self.use { fixture in
            let chat = fixture.chat
            let address = try await Self.address(fixture)
            chat.peers.change { $0.channels[7]?.members.remove(1) }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"1"}"#)
            try await eventually("the loss") { try await chat.send("a", user: 1).errorCode == "E13" }
            #expect(try await chat.post(#"{"text":"a","visible":"all"}"#, to: address).status == 404)
            #expect(try await chat.post(#"{"text":"a"}"#, to: address).status == 404)
        }
    }

    @Test("A bot at an address inside of the operator's network is not called")
    func addresses() async throws {
        try await ChatHarness.use { chat in
            try await Self.make(url: "http://127.0.0.1:1/", in: chat)
            let reply = try await Self.run(chat)
            #expect(reply.status == 424 && reply.errorCode == "E16" && reply.text.contains("not public"))
        }
    }

    @Test("A user with too many commands learns how long to wait, and other users do not wait")
    func rate() async throws {
        try await Self.use(["command_burst": "2"]) { fixture in
            var replies: [HTTPCall.Reply] = []
            repeat {
                replies.append(try await Self.run(fixture.chat))
            } while replies.last?.status == 200 && replies.count < 200
            #expect(replies.last?.errorCode == "E98" && replies.last?.headers["retry-after"] != nil)
            #expect(try await Self.run(fixture.chat, user: 2).status == 200)
        }
    }
}
