import TestSupport
import Wire

/// A polling client of Socket.IO: each of its requests may go to another node.
final class PollingClient: Sendable {
    let sid: String
    private let headers: [(String, String)]

    private init(sid: String, headers: [(String, String)]) {
        self.sid = sid
        self.headers = headers
    }

    static func open(port: UInt16, token: String) async throws -> PollingClient {
        let headers = [("Authorization", token)]
        let reply = try await HTTPCall.get(port: port, "/socket.io/?EIO=4&transport=polling", headers: headers)
        guard reply.text.hasPrefix("0"), let sid = try JSONValue(parsing: String(reply.text.dropFirst()))["sid"]?.string
        else { throw NeverHappened(description: "a session: \(reply.status) \(reply.text)") }
        return PollingClient(sid: sid, headers: headers)
    }

    private var target: String { "/socket.io/?EIO=4&transport=polling&sid=\(sid)" }

    func poll(port: UInt16) async throws -> HTTPCall.Reply {
        try await HTTPCall.get(port: port, target, headers: headers)
    }

    func post(_ packets: String, port: UInt16) async throws -> HTTPCall.Reply {
        try await HTTPCall(
            "POST", port: port, target, headers: headers + [("Content-Type", "text/plain")], body: Array(packets.utf8)
        ).reply()
    }

    /// Polls, answering pings, until a packet contains `text`; the ports take turns.
    func poll(until text: String, ports: [UInt16]) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(60).patiently
        var turn = 0
        while ContinuousClock.now < deadline {
            defer { turn += 1 }
            let reply = try await poll(port: ports[turn % ports.count])
            guard reply.status == 200 else { throw NeverHappened(description: "a poll: \(reply.status) \(reply.text)") }
            if reply.text.split(separator: "\u{1E}").contains("2") {
                _ = try await post("3", port: ports[(turn + 1) % ports.count])
            }
            if reply.text.contains(text) { return reply.text }
        }
        throw NeverHappened(description: text)
    }
}
