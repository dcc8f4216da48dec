import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Guests and admins", .serialized)
struct GuestTests {
    private static func open(_ chat: ChatHarness, _ user: Int64, with opponent: Int64) async throws -> String {
        let reply = try await chat.call(
            "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(opponent)"}"#)
        return reply.status == 200 ? "ok" : reply.errorCode
    }

    @Test("A8: a guest opens DMs with the people of their channels only, and nobody else opens one with the guest")
    func dms() async throws {
        try await ChatHarness.use { chat in
            // User 4 is in channel 7 with users 1, 2 and 3. Users 5 and 6 are only in the workspace.
            chat.peers.change { $0.roles[4] = "guest" }
            for (user, opponent, expected) in [
                (4, 5, "E13"), (5, 4, "E13"), (4, 2, "ok"), (3, 4, "ok"), (5, 6, "ok"),
            ] as [(Int64, Int64, String)] {
                let answer = try await Self.open(chat, user, with: opponent)
                #expect(answer == expected, "\(user) with \(opponent)")
            }
        }
    }

    @Test("A8: a guest reports the people of their channels only, and learns of no others")
    func reports() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.roles[4] = "guest" }
            for (user, subject, expected) in [(4, 5, "E13"), (4, 99, "E13"), (4, 2, "ok"), (5, 4, "ok")]
                as [(Int64, Int64, String)]
            {
                let reply = try await chat.call(
                    "POST", "/v1/reports", user: user,
                    json: #"{"type":"user","user_id":"\#(subject)","workspace_id":"3","reason":"spam"}"#)
                #expect((reply.status == 201 ? "ok" : reply.errorCode) == expected, "\(user) of \(subject)")
            }
        }
    }

    @Test("A8: a guest finds the people of their channels and their own channels, and no others")
    func find() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.roles[4] = "guest" }
            func names(_ user: Int64) async throws -> [String] {
                let reply = try await chat.call("GET", "/v1/workspaces/3/find?q=n", user: user)
                let names = try reply.json["users"]?.elements.map { $0.map { $0["nickname"]?.string ?? "" } }
                return (names ?? []).sorted()
            }
            let seenByGuest = try await names(4)
            #expect(seenByGuest == ["n1", "n2", "n3", "n4"])
            let seenByMember = try await names(5)
            #expect(seenByMember == ["n1", "n2", "n3", "n4", "n5", "n6"])
        }
    }

    @Test("A8: a guest can read and write only in the channels that they were put in, and cannot join another one")
    func channels() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.roles[4] = "guest" }
            for (channel, code) in [(7, ""), (8, "E13")] {
                let history = try await chat.call("GET", "/v1/workspaces/3/channels/\(channel)/chats", user: 4)
                #expect((history.status == 200 ? "" : history.errorCode) == code)
                let sent = try await chat.call(
                    "POST", "/v1/workspaces/3/channels/\(channel)/chats", user: 4, json: #"{"content":"hello"}"#)
                #expect(((200...201).contains(sent.status) ? "" : sent.errorCode) == code)
            }
        }
    }

    @Test("A8: admins delete the messages of others, members do not, and a check of the role is no part of a send")
    func moderation() async throws {
        try await ChatHarness.use { chat in
            func delete(_ seq: Int, by user: Int64) async throws -> Int {
                try await chat.call("DELETE", "/v1/workspaces/3/channels/7/chats/\(seq)", user: user).status
            }
            @Sendable func send() async throws {
                let sent = try await chat.call(
                    "POST", "/v1/workspaces/3/channels/7/chats", user: 1, json: #"{"content":"hello"}"#)
                #expect((200...201).contains(sent.status))
            }
            try await send()
            try await chat.untilCached("/internal/access", by: send)
            let asked = chat.peers.now.count("/internal/access")
            for _ in 0..<3 { try await send() }
            #expect(chat.peers.now.count("/internal/access") == asked)
            #expect(try await delete(1, by: 2) == 403)
            chat.peers.change { $0.roles[2] = "admin" }
            #expect(try await delete(1, by: 2) == 200)
        }
    }
}
