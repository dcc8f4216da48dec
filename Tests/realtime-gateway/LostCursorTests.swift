import Contract
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Session cursors that Redis has lost", .serialized)
struct LostCursorTests {
    private static let namespace = "/ws-channel-7"

    @Test(
        "A session that comes back to a Redis that has lost its cursor misses no message",
        arguments: ["gathering", "native"])
    func lostAfterLeaving(profile: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.reader(1, profile, port: node.port, in: GatewayHarness.channel)
                try await harness.say("1")
                try await client.until("a message") { $0.texts(Self.namespace) == ["1"] }
                if profile == "native" {
                    try await eventually("its confirmation") {
                        try await harness.redis.command("HGET", "position:1001:channel-7", "seq") == ["1"]
                    }
                }
                client.drop()
                try await eventually("its leaving") {
                    try await harness.redis.command("PUBSUB", "NUMSUB", "room:channel-7").last == "0"
                }
                try await harness.emptyRedis()
                try await harness.say("2", isHeard: false)
                let again = try await SocketClient.joined(
                    Self.namespace, port: node.port, token: harness.token(1, profile))
                try await harness.say("3")
                try await again.until("both") { $0.texts(Self.namespace).last == "3" }
                #expect(again.record.texts(Self.namespace) == ["2", "3"])
            }
        }
    }

    @Test("If Redis has lost a session's cursor, its socket waits until chat-service has written it again")
    func lostReport() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                for user in Int64(1)...20 {
                    let head = Int64(harness.peers.now.messages[GatewayHarness.channel]?.count ?? 0)
                    try await harness.tellHistory(user + 1000, head)
                    try await harness.emptyRedis()
                    for number in 1...2 { try await harness.say("\(number)", isHeard: false) }
                    let client = try await SocketClient.joined(
                        Self.namespace, port: node.port, token: harness.token(user, "native"))
                    try await harness.redis.command(
                        "HSET", "position:\(user + 1000):channel-7", "seq", "\(head)", "history", "\(head)")
                    // It waits for two seconds; on a busy machine it may have come too late.
                    let isInTime = try await Self.isGatewayNew(to: harness.redis)
                    try await harness.say("3")
                    try await client.until("a message") { $0.texts(Self.namespace).last == "3" }
                    guard isInTime else { continue }
                    #expect(client.record.texts(Self.namespace) == ["1", "2", "3"])
                    return
                }
                Issue.record("no cursor was written in time")
            }
        }
    }

    /// Whether the gateway has come back to Redis less than two seconds ago. Redis counts whole seconds.
    private static func isGatewayNew(to redis: RedisServer) async throws -> Bool {
        let connections = try await redis.command("CLIENT", "LIST")[0].split(separator: "\n")
        return connections.filter { $0.contains(" name=realtime-gateway ") }.allSatisfy {
            $0.contains(" age=0 ") || $0.contains(" age=1 ")
        }
    }

    /// A history reply up to 4, an older socket that was sent everything up to 30, and a newer one up to 8.
    struct Loss: Sendable {
        var older: Int64 = 30
        var olderHeard: Int64 = 1
        var olderHasLeft = false
        var newerHasLeft = false
        var newerHasClaimed = true
        /// The session's cursor.
        let seq: Int64

        func parts(of session: SessionID) -> [SessionCursors.Known] {
            let room = SessionCursorStoreTests.room
            let joined = Timestamp(milliseconds: 3)
            let releases = [
                SessionCursors.Release(
                    session: session, room: room, seq: older, name: "earlier/1", claimed: Timestamp(milliseconds: 1),
                    heard: Timestamp(milliseconds: olderHeard)),
                SessionCursors.Release(
                    session: session, room: room, seq: 8, name: "later/1", claimed: newerHasClaimed ? joined : nil,
                    heard: joined),
            ]
            let claims = [
                SessionCursorStoreTests.claim(session, older, "earlier/1", joined: 1, heard: olderHeard),
                SessionCursorStoreTests.claim(session, 8, "later/1", joined: 3),
            ]
            return [
                .history(session, room, seq: 4),
                olderHasLeft ? .release(releases[0]) : .socket(claims[0]),
                newerHasLeft ? .release(releases[1]) : .socket(claims[1]),
            ]
        }
    }

    @Test(
        "Processes write the parts of a lost cursor again in any order, and it is as before",
        arguments: [
            // The older socket is half-open.
            Loss(seq: 8), Loss(newerHasLeft: true, seq: 8),
            // It has left after the newer one's join.
            Loss(olderHasLeft: true, seq: 8), Loss(olderHasLeft: true, newerHasLeft: true, seq: 8),
            // It is another page, which goes on.
            Loss(olderHeard: 4, newerHasLeft: true, seq: 30), Loss(older: 6, olderHeard: 4, newerHasLeft: true, seq: 8),
            // The newer one has left before it was sent anything.
            Loss(newerHasLeft: true, newerHasClaimed: false, seq: 30),
        ])
    func rewritten(loss: Loss) async throws {
        try await SessionCursorStoreTests.use { store, _ async throws in
            for (first, second) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
                let session = SessionID(Int64.random(in: 10_000...(.max)))
                let room = SessionCursorStoreTests.room
                let parts = loss.parts(of: session)
                for index in [first, second, 3 - first - second] { #expect(await store.rewrite([parts[index]])) }
                #expect(try await store.find(session, room).seq == loss.seq, "\(first), \(second)")
                // A second rewrite changes nothing.
                #expect(await store.rewrite(parts))
                #expect(try await store.find(session, room).seq == loss.seq, "\(first), \(second)")
            }
        }
    }
}
