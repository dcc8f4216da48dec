import ServiceSupport
import TestSupport
import Testing

@testable import chat_service

@Suite("Pushes of a Redis that has lost its data", .serialized)
struct LostStreamTests {
    /// The relays need XRANGE to look for lost entries. A clock that ends their wait after some seconds fails here.
    @Test("R6 Entries that Redis has lost are appended again however late the relay looks for them")
    func lateCheck() async throws {
        try await ChatHarness.use { chat in
            #expect(try await chat.send("before").status == 201)
            try await chat.untilPublished()
            try await chat.redis.command("FLUSHALL")
            await chat.redis.kill()
            // The row was marked before: nothing but the check makes it wait again.
            try await chat.database.database.run(
                sql: "update chat.outbox set entry = '1-1', published_at = extract(epoch from now()) * 1000")
            try await chat.redis.start(["--user", "default", "on", "nopass", "~*", "&*", "+@all", "-xrange"])
            var (sent, isAppended, end) = (1, false, ContinuousClock.now + Duration.seconds(60).patiently)
            while ContinuousClock.now < end {
                #expect(try await chat.send("after").status == 201)
                sent += 1
                // On a busy machine the publisher needs some time to connect again.
                if !isAppended, try await chat.redis.command("XLEN", "push") != ["0"] {
                    (isAppended, end) = (true, ContinuousClock.now + .seconds(8))
                }
                try await pause(for: .milliseconds(50))
            }
            #expect(isAppended, "messages are appended meanwhile")
            let marked = try await chat.database.ask("select count(*) from chat.outbox where published_at is not null")
            #expect(marked == "1", "a mark would hide the loss")
            try await chat.redis.command("ACL", "SETUSER", "default", "+xrange")
            let wanted = Set((1...sent).map { "channel-7:\($0)" })
            try await eventually(within: .seconds(30), "every message on the stream") {
                Set(try await chat.pushes()).isSuperset(of: wanted)
            }
            try await chat.untilPublished()
        }
    }

    /// Whether a send hides the loss depends on the loop that is connected first, so there are several rounds.
    @Test("R6 Entries that Redis has lost are appended again although messages are sent as soon as it is back")
    func sendsAfterReturn() async throws {
        try await ChatHarness.use { chat in
            var sent = 0
            for _ in 1...3 {
                #expect(try await chat.send("before").status == 201)
                sent += 1
                try await chat.untilPublished()
                try await chat.redis.command("FLUSHALL")
                await chat.redis.kill()
                // The pauses between attempts to connect are random, and up to a second by then.
                try await pause(for: .seconds(2))
                try await chat.redis.start()
                let end = ContinuousClock.now + .milliseconds(1500)
                while ContinuousClock.now < end {
                    #expect(try await chat.send("after").status == 201)
                    sent += 1
                    try await pause(for: .milliseconds(10))
                }
                let wanted = Set((1...sent).map { "channel-7:\($0)" })
                try await eventually(within: .seconds(30), "every message on the stream") {
                    Set(try await chat.pushes()).isSuperset(of: wanted)
                }
            }
        }
    }
}
