import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service
@testable import standins

@Suite("Receivers of outgoing webhooks", .serialized)
struct WebhookReceiverTests {
    @Test("Events that wait for another attempt, or for the end of a call, go to a changed address")
    func changedAddress() async throws {
        try await WebhookFixture.use(["webhook_timeout": "60s"]) { fixture in
            let id = try await fixture.subscribe("old", ["message"])
            // Without the change, it is not sent again before the end of the test.
            fixture.receivers.set("old", statuses: [500], retryAfter: 600)
            _ = try await fixture.chat.send("refused")
            try await eventually("a refusal") { !fixture.receivers.received("old").isEmpty }
            fixture.receivers.set("old", delay: .seconds(600))
            _ = try await fixture.chat.send("unanswered", to: 8)
            try await eventually("a call under way") { fixture.receivers.waiting(at: "old") == 1 }
            let changed = try await fixture.chat.call(
                "PUT", "\(WebhookFixture.path)/\(id)", user: 4, json: #"{"url":"\#(fixture.url)new"}"#)
            #expect(changed.status == 200)
            let found = try await fixture.take(2, by: "new")
            #expect(Set(found.map { $0["data"]?["message"]?["content"]?.string }) == ["refused", "unanswered"])
        }
    }

    @Test("Slow receivers leave connections for the others at their host")
    func slowHost() async throws {
        try await WebhookFixture.use(["webhook_timeout": "60s"]) { fixture in
            for number in 1...5 {
                _ = try await fixture.subscribe("slow\(number)", ["message"], channels: [8])
                fixture.receivers.set("slow\(number)", delay: .seconds(600))
            }
            _ = try await fixture.subscribe("a", ["message"], channels: [7])
            #expect(try await fixture.chat.send("held up", to: 8).status == 201)
            try await eventually("five calls under way") {
                (1...5).allSatisfy { fixture.receivers.waiting(at: "slow\($0)") == 1 }
            }
            _ = try await fixture.chat.send("at once")
            #expect(try await fixture.take(1)[0]["data"]?["message"]?["content"]?.string == "at once")
        }
    }

    @Test("A slow receiver holds up only its own subscription")
    func slow() async throws {
        try await WebhookFixture.use(["webhook_timeout": "60s"]) { fixture in
            _ = try await fixture.subscribe("slow", ["message"])
            _ = try await fixture.subscribe("a", ["message"])
            fixture.receivers.set("slow", delay: .seconds(600))
            for number in 1...20 { _ = try await fixture.chat.send("\(number)") }
            let found = try await fixture.take(20)
            #expect(found.map { $0["data"]?["message"]?["content"]?.string } == (1...20).map { "\($0)" })
            #expect(fixture.receivers.received("slow").isEmpty)
        }
    }
}
