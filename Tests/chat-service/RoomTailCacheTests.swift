import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

/// An instance keeps the newest messages of rooms while another instance changes them.
@Suite("Kept room tails", .serialized)
struct RoomTailCacheTests {
    /// Channel 7 in a start: the newest text, the unread messages and the mentions.
    private static func start(_ chat: ChatHarness, _ user: Int64) async throws -> [String] {
        let rooms = try await chat.start(of: user)
        let room = rooms.first { $0["channel_id"]?.string == "7" }
        return [
            room?["lastMessage"]?["content"]?.string ?? "", "\(room?["unreadCount"]?.int ?? -1)",
            "\(room?["mentionCount"]?.int ?? -1)",
        ]
    }

    private static func counted(_ chat: ChatHarness, _ source: String) async throws -> Int {
        Int(try await chat.metric(#"maru_room_tails_total{source="\#(source)"}"#))
    }

    @Test("A start after a message, edit, deletion or read by another instance has the new text and counts")
    func changes() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let chats = "/v1/workspaces/3/channels/7/chats"
            #expect(try await Self.start(chat, 1) == ["", "0", "0"])
            for number in 1...2 {
                _ = try await chat.call("POST", chats, user: 2, json: #"{"content":"m\#(number) @n1"}"#, on: 1)
            }
            #expect(try await Self.start(chat, 1) == ["m2 @n1", "2", "2"])
            _ = try await chat.call("PUT", "\(chats)/2", user: 2, json: #"{"content":"plain"}"#, on: 1)
            #expect(try await Self.start(chat, 1) == ["plain", "2", "1"])
            _ = try await chat.call("DELETE", "\(chats)/1", user: 2, on: 1)
            #expect(try await Self.start(chat, 1) == ["plain", "1", "0"])
            _ = try await chat.call("PUT", "\(ChatHarness.channel)/read", json: #"{"seq":2}"#, on: 1)
            #expect(try await Self.start(chat, 1) == ["plain", "0", "0"])
        }
    }

    @Test("The newest messages of a room are read once for all its members, and again after a message")
    func shared() async throws {
        try await ChatHarness.use { chat in
            #expect(try await chat.send("first").status == 201)
            _ = try await Self.start(chat, 1)
            let (read, kept) = (try await Self.counted(chat, "read"), try await Self.counted(chat, "kept"))
            for user in [1, 2, 3] as [Int64] {
                let start = try await Self.start(chat, user)
                #expect(start.first == "first")
            }
            let counts = (try await Self.counted(chat, "read"), try await Self.counted(chat, "kept"))
            #expect(counts.0 == read && counts.1 > kept)
            #expect(try await chat.send("second").status == 201)
            #expect(try await Self.start(chat, 2) == ["second", "2", "0"])
            let again = try await Self.counted(chat, "read")
            #expect(again == read + 1)
        }
    }

    @Test("All unread messages of a user count, even if they are more than are kept")
    func many() async throws {
        try await ChatHarness.use { chat in
            for number in 1...40 { _ = try await chat.send("m\(number)") }
            var starts: [[String]] = []
            for _ in 0..<2 { starts.append(try await Self.start(chat, 2)) }
            #expect(starts == [["m40", "40", "0"], ["m40", "40", "0"]])
        }
    }
}
