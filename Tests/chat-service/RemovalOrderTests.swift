import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("The place of a removal", .serialized)
struct RemovalOrderTests {
    @Test("No message behind a removal is told before the removal is, whichever instance takes it")
    func order() async throws {
        try await ChatHouse.use(instances: 2) { house in
            _ = try await house.send("first")
            let ear = try RoomEar(house.redis)
            var events: [JSONValue] = []
            for round in 1...8 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<16 {
                        group.addTask { _ = try await house.send("\(round) \(number)", on: number % 2) }
                        guard number == 4 else { continue }
                        group.addTask {
                            try await house.tell(
                                round, "channel.member.removed",
                                #"{"channel_id":"7","workspace_id":"3","user_id":"\#(round + 100)","version":\#(round)}"#
                            )
                        }
                    }
                    try await group.waitForAll()
                }
                let count = round
                for _ in 0..<1000 where events.count(where: { $0["type"]?.string == "removed" }) < count {
                    events += try await ear.heard()
                }
            }
            events += try await ear.heard()
            var head = 0
            var removals = 0
            for event in events {
                if let seq = event["seq"]?.int { head = max(head, seq) }
                guard event["type"]?.string == "removed", let after = event["after"]?.int else { continue }
                removals += 1
                #expect(head <= after)
            }
            #expect(removals == 8)
        }
    }
}
