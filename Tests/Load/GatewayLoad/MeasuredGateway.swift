import Contract
import EventLoop
import LoadClient
import Redis
import ServiceSupport
import TestSupport
import Wire

/// Our gateway. Events are published on their rooms' Redis channels, as chat-service does.
struct MeasuredGateway: MeasuredServer {
    let name = "Maru"
    let fixture: GatewayFixture

    var meter: ProcessMeter { fixture.meter }

    var namespaces: (@Sendable (Int) -> String)? {
        { [layout = fixture.layout] in RoomLayout.namespace(of: layout.channel(of: $0 + 1)) }
    }

    func target(of number: Int) -> WebSocketFleet.Target {
        var target = WebSocketFleet.Target(
            address: SocketAddress(ip: "127.0.0.1", port: fixture.port)!,
            target: "/socket.io/?EIO=4&transport=websocket")
        target.headers = [("Authorization", "Bearer " + fixture.token(of: number + 1))]
        return target
    }

    func writer(on loop: EventLoop) async throws -> any EventWriter {
        try await PublishingWriter.open(fixture.redis, advancing: fixture.peers.head)
    }

    func stop() async { await fixture.stop() }
}

/// Publishes events of one room as chat-service does.
final class PublishingWriter: EventWriter {
    private let group = EventLoopGroup(count: 1)
    private let redis: Redis
    private let head: PeerServices.RoomHead
    private var sent: Int64 = 0

    /// Opens a writer that is connected to Redis.
    static func open(_ server: RedisServer, advancing head: PeerServices.RoomHead) async throws -> PublishingWriter {
        let writer = PublishingWriter(to: server, head)
        try await writer.group.loops[0].run { [redis = writer.redis] in
            try await redis.connected(within: .seconds(5))
        }
        return writer
    }

    private init(to server: RedisServer, _ head: PeerServices.RoomHead) {
        self.head = head
        redis = Redis(
            RedisConfiguration(.host("127.0.0.1", port: server.port)), on: group,
            resolvingOn: BlockingPool(threads: 1, limit: 8))
    }

    deinit { group.stop() }

    func send() {
        sent += 1
        head.advance(to: sent)
        let event = TimedEvent(sent, in: ChannelID(1), for: .measured)
        let bytes = RoomEvent.message(event.message).encoded()
        let channel = RoomEvent.channel(of: event.message.room)
        group.loops[0].execute { [redis] in redis.post(RedisCommand("PUBLISH", channel, bytes)) }
    }
}

extension ClientProfile {
    /// The profile of all sockets.
    static let measured: ClientProfile = {
        guard let text = try? String(contentsOfFile: ServiceUnderTest.clients),
            let profiles = try? ClientProfiles(json: Array(text.utf8)),
            let profile = profiles[name: GatewayFixture.profileName]
        else { preconditionFailure("\(ServiceUnderTest.clients) has no \(GatewayFixture.profileName)") }
        return profile
    }()
}
