import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Blocked authors", .serialized)
struct BlockTests {
    @Test("A17: a blocked author pushes nothing to the blocker, not even a mention; a change counts at once")
    func pushes() async throws {
        try await ChatHarness.use { chat in
            try await chat.redis.untilHeard("invalidate:blocks", by: 1)
            chat.peers.change { $0.blocked = [2: [1]] }
            _ = try await chat.send("@n2 and all")
            let first = try await chat.decisions([2, 3], seq: 1).reasons
            #expect(first == [2: "blocked", 3: "all"])
            chat.peers.change { $0.blocked = [3: [1]] }
            let body = #"{"user_id":"2","blocked":"1"}"#
            try await chat.redis.command("PUBLISH", "invalidate:blocks", body)
            try await eventually("the change") {
                try await chat.decisions([2, 3], seq: 1).reasons == [2: "mention", 3: "blocked"]
            }
        }
    }

    @Test("The blocks of an author are asked for once, and not by sends that name no member")
    func queries() async throws {
        try await ChatHarness.use { chat in
            try await chat.redis.untilHeard("invalidate:blocks", by: 1)
            for number in 1...3 { _ = try await chat.send("\(number)") }
            #expect(chat.peers.now.count("/internal/blocks") == 0)
            try await chat.untilCached("/internal/blocks") { _ = try await chat.decisions([2], seq: 1) }
            let asked = chat.peers.now.count("/internal/blocks")
            for seq in 1...3 { _ = try await chat.decisions([2], seq: seq) }
            #expect(chat.peers.now.count("/internal/blocks") == asked)
        }
    }
}
