import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("History and a joining socket", .serialized)
struct LeftToSocketTests {
    /// A history call, and the messages that its reply holds.
    struct Call: Sendable {
        var query = "?after_seq=1"
        var key = "gathering"
        /// How long ago the socket joined.
        var age = Duration.zero
        /// Up to where a socket that catches up may have been sent messages.
        var end: Int?
        let expected: [String]
    }

    private static let calls = [
        Call(expected: ["4"]),
        Call(end: 2, expected: ["3", "4"]),
        Call(query: "", expected: ["1", "2", "3", "4"]),
        Call(query: "?after_seq=0", expected: ["1", "2", "3", "4"]),
        Call(key: "native", expected: ["2", "3", "4"]),
        Call(age: .seconds(10), expected: ["2", "3", "4"]),
        // The client has shown messages of the socket: it may have left it since.
        Call(query: "?after_seq=2", expected: ["3", "4"]),
    ]

    @Test("A reply leaves out messages that the joining socket is sent, if repeats are fatal", arguments: calls)
    func leaves(_ call: Call) async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...4).map { .sample("\($0)", author: 2) })
            try await chat.redis.command("SET", "sent:loop:channel-7", "3")
            // A reply waits for Redis only briefly, and a socket joins for three seconds: a busy machine may miss both limits.
            try await eventually("a reply with \(call.expected)") {
                _ = try await chat.database.ask("delete from chat.told_position")
                let joined = (Timestamp.now - call.age).milliseconds
                var fields = ["live", "loop/1", "from", "1", "joined", "\(joined)", "seq", "1"]
                if let end = call.end { fields += ["end", "\(end)"] }
                try await chat.redis.command("DEL", "position:1001:channel-7")
                try await chat.redis.command(["HSET", "position:1001:channel-7"] + fields)
                let texts = try await chat.history(call.query, key: call.key).compactMap { $0["content"]?.string }
                // Without an answer of Redis in time the cursor is in the table, and nothing is left out.
                let isInTime = try await chat.database.ask("select count(*) from chat.told_position") == "0"
                return isInTime && texts == call.expected
            }
        }
    }
}
