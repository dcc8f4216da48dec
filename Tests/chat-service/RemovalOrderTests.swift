import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Order of removals", .serialized)
struct RemovalOrderTests {
    /// The removals, without those that are published again because they were marked too late.
    private static func removals(_ events: [JSONValue]) -> [[UInt8]] {
        events.filter { $0["type"]?.string == "removed" }.map(\.text).withoutRepeats
    }

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
                let (before, count) = (events, expected)
                events += try await listener.events { Self.removals(before + $0).count >= count }
            }
            var heads: [String: Int] = [:]
            var seen: Set<[UInt8]> = []
            for event in events where seen.insert(event.text).inserted {
                let room = event["room"]?.string ?? ""
                if let seq = event["seq"]?.int { heads[room] = max(heads[room] ?? 0, seq) }
                guard event["type"]?.string == "removed", let after = event["after"]?.int else { continue }
                #expect(heads[room] ?? 0 <= after)
            }
            #expect(Self.removals(events).count == 12)
        }
    }
}
