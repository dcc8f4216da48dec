import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Changes of access during a check", .serialized)
struct AccessChangeTests {
    private static let namespace = "/ws-channel-7"

    @Test("A change of access during a join is not overlooked")
    func race() async throws {
        try await GatewayHouse.use { house in
            try await house.withNode { node in
                // Sockets on both loops, so that both have heard the change when all of these have been asked about.
                for user in Int64(2)...5 { _ = try await house.listener(user, port: node.port) }
                let client = try SocketClient(port: node.port, headers: [("Authorization", house.token(10))])
                let asked = house.peers.count("/internal/access")
                house.peers.change { $0.isHoldingAccess = true }
                try client.join(Self.namespace)
                try await eventually("a question") {
                    house.peers.count("/internal/access") > asked
                }
                // They are let in by an answer that is not true any more when it comes.
                house.peers.change { _ = $0.workspace.remove(10) }
                for user in [10, 2, 3, 4, 5] {
                    try await house.redis.command(
                        "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"\#(user)"}"#)
                }
                try await eventually("questions for the others") {
                    house.peers.count("/internal/access") >= asked + 5
                }
                house.peers.change { $0.isHoldingAccess = false }
                try await client.until("a refusal") { $0.refused[Self.namespace] == "Forbidden" }
                #expect(!client.record.joined.contains(Self.namespace))
            }
        }
    }

    @Test("Frequent changes of other users' access do not delay a join")
    func others() async throws {
        try await GatewayHouse.use { house in
            try await house.withNode { node in
                // Longer than it takes from one change to the next.
                house.peers.change { $0.accessTakes = .milliseconds(200) }
                let changes = Task {
                    for user in Int64(1000)... where !Task.isCancelled {
                        try await house.redis.command(
                            "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"\#(user)"}"#)
                    }
                }
                defer { changes.cancel() }
                let client = try await SocketClient.joined(Self.namespace, port: node.port, token: house.token(1))
                #expect(!client.record.isEnded)
            }
        }
    }

    @Test("An access answer from before a removal does not bring the member back")
    func oldAnswer() async throws {
        try await GatewayHouse.use { house in
            try await house.withNode { node in
                let removed = try await house.listener(1, port: node.port)
                let other = try await house.listener(2, port: node.port)
                try await house.say("1")
                for client in [removed, other] {
                    try await client.until("a message") { $0.texts(Self.namespace) == ["1"] }
                }
                try removed.join("/ws-channel-8")
                try await removed.until("the other room") { $0.joined.contains("/ws-channel-8") }
                house.peers.change { $0.nextHeld = 1 }
                try await house.redis.command(
                    "PUBLISH", "invalidate:access", #"{"workspace_id":"3","channel_id":"7"}"#)
                try await eventually("a late answer") { !house.peers.now.heldCalls.isEmpty }
                let asked = house.peers.count("/internal/access")
                house.peers.change { _ = $0.channels[7]?.remove(1) }
                try await house.publish(.removed(room: GatewayHouse.channel, after: 1, user: UserID(1)))
                try await eventually("a question") { house.peers.count("/internal/access") > asked }
                try await house.say("2")
                try await other.until("the next") { $0.texts(Self.namespace) == ["1", "2"] }
                house.peers.change { $0.heldCalls = [] }
                // Messages in the other room follow any effect of the late answer.
                let room = RoomID(ChannelID(8))
                try await house.tellHistory(1001, 0, of: room)
                for number in 1...5 { try await house.say("\(number)", in: room) }
                try await removed.until("what is said elsewhere") { $0.texts("/ws-channel-8").count == 5 }
                try await house.say("3")
                try await other.until("the last") { $0.texts(Self.namespace).last == "3" }
                #expect(removed.record.texts(Self.namespace) == ["1"])
            }
        }
    }
}
