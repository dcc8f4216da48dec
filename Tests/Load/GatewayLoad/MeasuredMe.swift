import EventLoop
import LoadClient
import TestSupport
import Wire

/// Our gateway with a `/me` socket for each user. Events are published on their rooms' Redis channels.
struct MeasuredMe: MeasuredServer {
    let name = "a /me socket"
    let fixture: GatewayFixture

    static let profile = "native"

    var meter: ProcessMeter { fixture.meter }

    var namespaces: (@Sendable (Int) -> String)? { { _ in "/me" } }

    func target(of number: Int) -> WebSocketFleet.Target { Self.target(of: number, in: fixture) }

    /// The target of the user `number`, counted from 0.
    static func target(of number: Int, in fixture: GatewayFixture) -> WebSocketFleet.Target {
        var target = WebSocketFleet.Target(
            address: SocketAddress(ip: "127.0.0.1", port: fixture.port)!,
            target: "/socket.io/?EIO=4&transport=websocket")
        target.headers = [("Authorization", "Bearer " + fixture.token(of: number + 1, profile))]
        return target
    }

    func writer(on loop: EventLoop) async throws -> any EventWriter {
        try await PublishingWriter.open(fixture.redis, advancing: fixture.peers.head)
    }

    func stop() async { await fixture.stop() }
}
