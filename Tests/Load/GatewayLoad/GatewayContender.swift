import Contract
import EventLoop
import LoadClient
import Redis
import ServiceSupport
import TestSupport
import Wire

/// Our gateway: events are published on their rooms' Redis channels, as chat-service does.
struct GatewayContender: Contender {
    let name = "Maru"
    let house: GatewayHouse

    var meter: ProcessMeter { house.meter }

    var namespaces: (@Sendable (Int) -> String)? {
        { [seating = house.seating] in Seating.namespace(of: seating.channel(of: $0 + 1)) }
    }

    func target(of number: Int) -> WebSocketFleet.Target {
        var target = WebSocketFleet.Target(
            address: SocketAddress(ip: "127.0.0.1", port: house.port)!, target: "/socket.io/?EIO=4&transport=websocket")
        target.headers = [("Authorization", "Bearer " + house.token(of: number + 1))]
        return target
    }

    func writer(on loop: EventLoop) async throws -> any EventWriter {
        try await PublishingWriter.open(house.redis, telling: house.others.head)
    }

    func stop() async { await house.stop() }
}

/// Writes events of one room as chat-service publishes them.
final class PublishingWriter: EventWriter {
    private let group = EventLoopGroup(count: 1)
    private let redis: Redis
    private let head: OtherServices.Head
    private var sent: Int64 = 0

    /// Connects.
    static func open(_ server: RedisServer, telling head: OtherServices.Head) async throws -> PublishingWriter {
        let writer = PublishingWriter(to: server, head)
        try await writer.group.loops[0].run { [redis = writer.redis] in
            try await redis.connected(within: .seconds(5))
        }
        return writer
    }

    private init(to server: RedisServer, _ head: OtherServices.Head) {
        self.head = head
        redis = Redis(
            RedisConfiguration(.host("127.0.0.1", port: server.port)), on: group,
            resolvingOn: BlockingPool(threads: 1, limit: 8))
    }

    deinit { group.stop() }

    func send() {
        sent += 1
        head.reach(sent)
        let event = TimedEvent(sent, in: ChannelID(1), for: .measured)
        let bytes = RoomEvent.message(event.message).encoded()
        let channel = RoomEvent.channel(of: event.message.room)
        group.loops[0].execute { [redis] in redis.post(RedisCommand("PUBLISH", channel, bytes)) }
    }
}

extension ClientProfile {
    /// The profile of all sockets here.
    static let measured: ClientProfile = {
        guard let text = try? String(contentsOfFile: ServiceUnderTest.clients),
            let profiles = try? ClientProfiles(json: Array(text.utf8)),
            let profile = profiles[name: GatewayHouse.profileName]
        else { preconditionFailure("\(ServiceUnderTest.clients) has no \(GatewayHouse.profileName)") }
        return profile
    }()
}
