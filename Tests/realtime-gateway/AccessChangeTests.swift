import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Changes of access during a check", .serialized)
struct AccessChangeTests {
    private static let namespace = "/ws-channel-7"

    @Test("A change of access during a join takes effect")
    func race() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                // Sockets on both loops, so that both have heard the change when all of these have been asked about.
                for user in Int64(2)...5 { _ = try await harness.listener(user, port: node.port) }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(10))])
                harness.peers.change { state in
                    state.isHoldingAccess = true
                    state.me.accessUsers = []
                }
                try client.join(Self.namespace)
                try await eventually("a question") { harness.peers.now.me.accessUsers.contains(10) }
                // They are let in by an answer that is not true any more when it comes.
                harness.peers.change { _ = $0.workspace.remove(10) }
                for user in [10, 2, 3, 4, 5] {
                    try await harness.redis.command(
                        "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"\#(user)"}"#)
                }
                // A question that is held for too long is asked again.
                try await eventually("questions for the others") {
                    harness.peers.now.me.accessUsers.isSuperset(of: [2, 3, 4, 5])
                }
                harness.peers.change { $0.isHoldingAccess = false }
                try await client.until("a refusal") { $0.refused[Self.namespace] == "Forbidden" }
                #expect(!client.record.joined.contains(Self.namespace))
            }
        }
    }

    @Test(
        "Frequent changes of other users' access do not delay a join",
        arguments: [
            #"{"workspace_id":"3","user_id":"USER"}"#, #"{"workspace_id":"99"}"#,
            #"{"workspace_id":"99","channel_id":"5"}"#,
        ])
    func others(_ hint: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                // Longer than it takes from one change to the next.
                harness.peers.change { $0.accessTakes = .milliseconds(200) }
                let changes = Task {
                    var user = 1000
                    while !Task.isCancelled {
                        user += 1
                        try await harness.redis.command(
                            "PUBLISH", "invalidate:access", hint.replacing("USER", with: "\(user)"))
                    }
                }
                defer { changes.cancel() }
                let client = try await SocketClient.joined(Self.namespace, port: node.port, token: harness.token(1))
                #expect(!client.record.isEnded)
            }
        }
    }

    @Test("An access answer from before a removal does not bring the member back")
    func oldAnswer() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let removed = try await harness.listener(1, port: node.port)
                let other = try await harness.listener(2, port: node.port)
                try await harness.say("1")
                for client in [removed, other] {
                    try await client.until("a message") { $0.texts(Self.namespace) == ["1"] }
                }
                try removed.join("/ws-channel-8")
                try await removed.until("the other room") { $0.joined.contains("/ws-channel-8") }
                harness.peers.change { $0.nextHeld = 1 }
                try await harness.redis.command(
                    "PUBLISH", "invalidate:access", #"{"workspace_id":"3","channel_id":"7"}"#)
                try await eventually("a late answer") { !harness.peers.now.heldCalls.isEmpty }
                let asked = harness.peers.count("/internal/access")
                harness.peers.change { _ = $0.channels[7]?.remove(1) }
                try await harness.publish(.removed(room: GatewayHarness.channel, after: 1, user: UserID(1)))
                try await eventually("a question") { harness.peers.count("/internal/access") > asked }
                try await harness.say("2")
                try await other.until("the next") { $0.texts(Self.namespace) == ["1", "2"] }
                harness.peers.change { $0.heldCalls = [] }
                // Messages in the other room follow any effect of the late answer.
                let room = RoomID(ChannelID(8))
                try await harness.tellHistory(1001, 0, of: room)
                for number in 1...5 { try await harness.say("\(number)", in: room) }
                try await removed.until("what is said elsewhere") { $0.texts("/ws-channel-8").count == 5 }
                try await harness.say("3")
                try await other.until("the last") { $0.texts(Self.namespace).last == "3" }
                #expect(removed.record.texts(Self.namespace) == ["1"])
            }
        }
    }
}
