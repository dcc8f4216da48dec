import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Read markers while a /me socket catches up", .serialized)
struct ResumedReadTests {
    @Test("A device that catches up is told of a room that another device has read meanwhile")
    func moved() async throws {
        try await GatewayHarness.use { harness in
            let room = GatewayHarness.channel
            try await harness.say("missed")
            harness.peers.change { state in
                state.me.markers[room] = 0
                state.heldPaths = ["/internal/rooms/\(room)/messages"]
            }
            try await harness.withNode { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me", #"{"cursors":{"\#(room)":[0,0]}}"#)
                try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
                // chat-service counts the move. The event of it has come before the socket was in the room.
                harness.peers.change { $0.me.markers[room] = 1 }
                try await harness.redis.command("INCR", "read-moves:1")
                harness.peers.change { $0.heldPaths = [] }
                try await client.until("the marker") { record in
                    record.events.contains { event in
                        event.name == "read" && event.body["room"]?.string == "\(room)"
                            && event.body["seq"]?.int == 1 && event.body["unreadCount"]?.int == 0
                    }
                }
            }
        }
    }
}
