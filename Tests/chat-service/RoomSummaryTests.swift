import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Room summaries", .serialized)
struct RoomSummaryTests {
    @Test("The last message of a summary is shortened to 1,000 characters and marked, and short ones are whole")
    func shortened() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [1] }
            // Two scalars each: 1,000 scalars would end within a flag after the odd letter.
            let long = "a" + String(repeating: "🇰🇷", count: 2000)
            let short = String(repeating: "가", count: 1000)
            for (text, channel) in [(long, 7), (short, 8)] as [(String, Int64)] {
                let sent = try await chat.send(text, to: channel)
                #expect(sent.status == 201)
            }
            let rooms = try await chat.call("GET", "/v1/workspaces/3/rooms").json
            let first = rooms[0]?["lastMessage"]?["content"]?.string ?? ""
            #expect(first == "a" + String(repeating: "🇰🇷", count: 499))
            #expect(rooms[0]?["lastMessageShortened"]?.bool == true)
            #expect(rooms[1]?["lastMessage"]?["content"]?.string == short)
            #expect(rooms[1]?["lastMessageShortened"] == nil)
            #expect(try await chat.history().first?["content"]?.string == long)
        }
    }

    @Test("The largest home screen that the default limits allow is below 24 MB")
    func largest() async throws {
        try await ChatHarness.use { chat in
            try await Self.fillLargest(chat.peers, chat.database)
            let reply = try await chat.call("GET", "/v1/workspaces/3/rooms")
            let rooms = try reply.json.elements.map { $0.map { $0 } } ?? []
            #expect(rooms.count == 2000)
            #expect(reply.body.count < 24 << 20)
        }
    }

    /// Gives user 1 as many channels and DMs as the default limits allow, with the largest last messages.
    static func fillLargest(_ peers: StubPeers, _ database: ChatDatabase) async throws {
        peers.change { state in
            for id in 1...1000 as ClosedRange<Int64> {
                state.channels[id] = PeersOfChat.Channel(
                    workspace: 3, name: String(repeating: "가", count: 30), members: [1])
            }
        }
        // A control character takes most bytes in JSON. Names of files are percent-encoded.
        let path =
            "/static/channelChats/\(String(repeating: "%EA", count: 255))_\(String(repeating: "0", count: 36))"
        try await database.database.run(
            sql: """
                insert into chat.dm (workspace, low, high, created_at)
                    select 3, 1, n + 1, 1 from generate_series(1, 1000) n;
                insert into chat.room (kind, id, workspace, last_seq, last_at)
                    select kind, n, 3, 1, 1 from generate_series(1, 2) kind, generate_series(1, 1000) n;
                insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    select workspace, kind, id, 1, 2, 1, repeat(E'\\x01', 10000), array_fill('\(path)'::text, array[5]), 1
                    from chat.room
                """)
    }
}
