import EventLoop
import LoadClient
import ServiceSupport
import TestSupport
import Wire

/// Sends at a steady rate to the rooms of user 1, and reads from the metrics how soon searches find the messages.
struct SearchLag {
    private static let rate = 200
    private static let seconds = 15

    static func measure(_ peers: StubServer<SearchPeers>, _ verdicts: inout Verdicts) async throws {
        let service = try await LoadedService.start(
            "chat-service", ["auth_url": peers.url, "workspace_url": peers.url])
        do {
            try await send(to: service.publicPort, peers.tokens.token(user: 1, key: "native", lives: .seconds(36_000)))
            _ = try await SearchCorpus.untilIndexed(service.database)
            let share = try await shareWithinSecond(service.internalPort)
            let percent = (share * 1000).rounded() / 10
            verdicts.add(
                "\(rate) sends a second to \(SearchPeers.channels / 2) rooms: \(percent) % are found within a second, "
                    + "at least 99", share >= 0.99)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
    }

    private static func send(to port: UInt16, _ token: String) async throws {
        let headers = [("SesacKey", "native"), ("Authorization", token), ("Content-Type", "application/json")]
        var chat = KoreanChat(seed: 2)
        let messages = (0..<rate * seconds).map { _ in chat.message().filter { $0 != "\"" } }
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { sends in
            for (number, message) in messages.enumerated() {
                try await pause(for: begin + .seconds(1) * number / rate - .now)
                let channel = Int64(number) % (SearchPeers.channels / 2) * 2 + 2
                sends.addTask {
                    let reply = try await HTTPCall(
                        "POST", port: port, "/v1/workspaces/1/channels/\(channel)/chats", headers: headers,
                        body: Array(#"{"content":"\#(message)"}"#.utf8)
                    ).reply()
                    guard reply.status == 201 else {
                        throw NeverHappened(description: "a send: \(reply.status) \(reply.text)")
                    }
                }
            }
            try await sends.waitForAll()
        }
    }

    /// The share of the rooms' steps that ended within a second after the commit of their oldest message.
    private static func shareWithinSecond(_ port: UInt16) async throws -> Double {
        let page = try await HTTPCall.get(port: port, "/metrics").text.split(separator: "\n")
        func value(_ name: String) -> Double {
            let line = page.first { $0.hasPrefix(name) }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) } ?? 0
        }
        return value(#"maru_search_lag_seconds_bucket{le="1.0"}"#) / max(1, value("maru_search_lag_seconds_count"))
    }
}
