import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Erasure of threads", .serialized)
struct ThreadErasureTests {
    private static let chats = "/v1/workspaces/3/channels/7/chats"

    /// A thread with mentions, and the own state of users 1 and 2.
    private static func plant(_ chat: ChatHarness) async throws {
        _ = try await chat.send("@n2 @n1", user: 3)
        for user in [1, 2] as [Int64] {
            for (method, path, json) in [
                ("PUT", "\(chats)/1/reactions/%F0%9F%91%8D", "{}"), ("PUT", "\(chats)/1/saved", "{}"),
                ("PUT", "\(ChatHarness.channel)/read", #"{"seq":1}"#),
                ("POST", chats, #"{"content":"reply","thread":1}"#),
                (
                    "POST", "\(ChatHarness.channel)/scheduled",
                    #"{"content":"later","at":"\#(Timestamp.now + .seconds(3600))"}"#
                ),
            ] {
                let reply = try await chat.call(method, path, user: user, json: json)
                #expect(reply.status < 300, "\(method) \(path): \(reply.text)")
            }
        }
    }

    @Test("An erased user follows no thread and is mentioned nowhere; their replies stay")
    func users() async throws {
        try await ChatHarness.use { chat in
            try await Self.plant(chat)
            func rows(_ user: Int64) async throws -> String {
                try await chat.database.ask(
                    """
                    select (select count(*) from chat.thread_follower where user_id = \(user)),
                        (select count(*) from chat.mention where user_id = \(user))
                    """)
            }
            #expect(try await rows(2) == "1|1")
            try await chat.database.run { pool in
                try await UserErasureStore(database: pool).eraseOwnRows(of: UserID(2))
            }
            #expect(try await rows(2) == "0|0")
            #expect(try await rows(1) == "1|1")
            let root = try await chat.call("GET", "\(Self.chats)/1").json
            #expect(root["replies"]?["count"]?.int == 2)
        }
    }

    @Test("A closed room leaves no thread, mention or state of its members")
    func rooms() async throws {
        try await ChatHarness.use { chat in
            try await Self.plant(chat)
            try await chat.database.database.run(
                sql: "insert into chat.scheduled_sent values (3, 1, 1, 7, 'c', 1, 1, 1, 1)")
            chat.peers.change { $0.channels[7] = nil }
            try await chat.publishFact(
                1, "channel.deleted", #"{"workspace_id":"3","channel_id":"7","name":"general","version":9}"#)
            try await eventually(within: .seconds(30), "the erasure") {
                try await chat.database.ask("select is_erased from chat.room where kind = 1 and id = 7") == "t"
            }
            for table in [
                "message", "message_change", "reply", "thread", "thread_follower", "mention", "reaction",
                "read_position", "saved_message", "scheduled", "scheduled_sent",
            ] {
                #expect(try await chat.database.ask("select count(*) from chat.\(table)") == "0", "\(table)")
            }
        }
    }
}
