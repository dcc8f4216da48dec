import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service
@testable import standins

@Suite("Notices about outgoing webhooks", .serialized)
struct WebhookNoticeTests {
    @Test("The owner gets a mail about a subscription that was switched off, and so does a maker that is a manager")
    func owner() async throws {
        try await WebhookFixture.use { fixture in
            fixture.chat.peers.change { $0.roles[5] = "admin" }
            _ = try await fixture.failForGood("a", by: 5)
            try await fixture.untilTold()
            // A notice without an answer in time is sent again under its key.
            #expect(fixture.chat.peers.now.noticed.withoutRepeats == ["4", "5"].map { "\($0) webhook_off 127.0.0.1" })
            #expect(Set(fixture.chat.peers.now.noticeKeys).count == 2)

            // A maker that is no longer a manager.
            let id = try await fixture.subscribe("b", ["message"], by: 5)
            fixture.chat.peers.change { $0.roles[5] = "member" }
            fixture.receivers.set("b", statuses: [410])
            _ = try await fixture.chat.send("two")
            try await eventually("the third notice") { Set(fixture.chat.peers.now.noticeKeys).count == 3 }
            try await fixture.untilTold()
            #expect(fixture.chat.peers.now.noticed.last == "4 webhook_off 127.0.0.1")
            #expect(fixture.chat.peers.now.audited.contains { $0.contains("subscription.off-\(id)-") })

            // The one that switches a subscription off knows.
            let newest = try await fixture.subscribe("c", ["message"])
            let off = try await fixture.chat.call(
                "PUT", "\(WebhookFixture.path)/\(newest)", user: 4, json: #"{"on":false}"#)
            #expect(off.status == 200)
            try await fixture.untilTold()
            #expect(Set(fixture.chat.peers.now.noticeKeys).count == 3)
        }
    }

    @Test("A notice that auth-service refuses is sent again under the same key, unless the subscription is on again")
    func refused() async throws {
        try await WebhookFixture.use { fixture in
            fixture.chat.peers.change { $0.isNoticeDown = true }
            let id = try await fixture.failForGood(by: 4)
            try await eventually("a refused notice") { !fixture.chat.peers.now.noticed.isEmpty }
            fixture.chat.peers.change { $0.isNoticeDown = false }
            let untilDue = "update chat.webhook_queue set due_at = 1 where room = -1 and due_at > 1 returning 1"
            #expect(try await fixture.chat.database.ask(untilDue) == "1")
            try await fixture.untilTold()
            let told = fixture.chat.peers.now
            #expect(told.noticed.count > 1 && Set(told.noticeKeys).count == 1)
            #expect(Set(told.audited.filter { $0.hasPrefix("subscription.off ") }).count == 1)

            let on = #"{"on":true}"#
            let path = "\(WebhookFixture.path)/\(id)"
            #expect(try await fixture.chat.call("PUT", path, user: 4, json: on).status == 200)
            fixture.chat.peers.change { $0.isNoticeDown = true }
            fixture.receivers.set("a", statuses: [410])
            _ = try await fixture.chat.send("two")
            try await eventually("another refused notice") {
                Set(fixture.chat.peers.now.noticeKeys).count == 2
            }
            #expect(try await fixture.chat.call("PUT", path, user: 4, json: on).status == 200)
            let count = fixture.chat.peers.now.noticed.count
            fixture.chat.peers.change { $0.isNoticeDown = false }
            _ = try await fixture.chat.database.ask(untilDue)
            try await fixture.untilTold()
            #expect(fixture.chat.peers.now.noticed.count == count)
            #expect(Set(fixture.chat.peers.now.audited.filter { $0.hasPrefix("subscription.off ") }).count == 2)
        }
    }
}
