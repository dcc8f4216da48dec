import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Order of removals", .serialized)
struct RemovalOrderTests {
    @Test("No instance publishes a message before a removal that precedes it in the room's order")
    func order() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            for channel in [7, 8] as [Int64] { _ = try await chat.send("first", to: channel) }
            let listener = try RoomEventListener(chat.redis)
            var events: [JSONValue] = []
            var expected = 0
            for round in 1...8 {
                let isWhole = round % 2 == 0
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<16 {
                        group.addTask {
                            _ = try await chat.send(
                                "\(round) \(number)", to: 7 + Int64(number / 2 % 2), on: number % 2)
                        }
                        guard number == 4 else { continue }
                        group.addTask {
                            let channel = #""channel_id":"7","workspace_id":"3","name":"g""#
                            try await chat.publishFact(
                                round, isWhole ? "workspace.member.removed" : "channel.member.removed",
                                #"{\#(channel),"user_id":"\#(round + 100)","version":\#(round)}"#)
                        }
                    }
                    try await group.waitForAll()
                }
                expected += isWhole ? 2 : 1
                let count = expected - events.count { $0["type"]?.string == "removed" }
                events += try await listener.events { $0.count { $0["type"]?.string == "removed" } >= count }
            }
            var heads: [String: Int] = [:]
            for event in events {
                let room = event["room"]?.string ?? ""
                if let seq = event["seq"]?.int { heads[room] = max(heads[room] ?? 0, seq) }
                guard event["type"]?.string == "removed", let after = event["after"]?.int else { continue }
                #expect(heads[room] ?? 0 <= after)
            }
            #expect(events.count { $0["type"]?.string == "removed" } == 12)
        }
    }
}
