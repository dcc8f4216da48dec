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
}
