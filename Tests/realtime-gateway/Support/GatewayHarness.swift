import Contract
import EventLoop
import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Wire

@testable import realtime_gateway

/// The gateway on any number of nodes that share a Redis and a database, with a stub of its peers.
final class GatewayHarness: Stoppable {
    let peers: StubPeers
    let redis: RedisServer
    let database: TestDatabase
    private let folder = TemporaryFolder("maru-gateway")

    static let channel = RoomID(ChannelID(7))
    static let dm = RoomID(DMID(5))

    private init() async throws {
        peers = try StubPeers()
        redis = try await RedisServer.start(isDurable: true)
        database = try await PostgresCluster.ofThisProcess().makeDatabase()
    }

    /// Runs `body` against a harness of its own.
    static func use(_ body: (GatewayHarness) async throws -> Void) async throws {
        try await GatewayHarness().lent(to: body)
    }

    func stop() async {
        await peers.stop()
        await redis.stop()
    }

    // MARK: Nodes

    private func settings(_ own: [String: String]) -> [String: String] {
        let common = [
            "auth_url": peers.url, "workspace_url": peers.url, "chat_url": peers.url,
            "ping_interval": "1s", "drain_window": "300ms",
            "ping_timeout": "\(min(50, Int(Duration.seconds(10).patiently / .seconds(1))))s",
            // A client that stands still takes nothing, and shows no identity, for as long as that lasts.
            "reader_patience": Duration.seconds(30).patiently.setting,
            "nameless_timeout": Duration.seconds(30).patiently.setting,
        ]
        return common.merging(own) { _, own in own }
    }

    /// A node in this process; `body` has it for as long as it runs.
    func withNode(
        _ own: [String: String] = [:], presence: Presence.Times = Presence.Times(), log: Log? = nil,
        _ body: (ServiceUnderTest) async throws -> Void
    ) async throws {
        try await withNode(own, log: log, assembledBy: { try await App.assemble($0, presence: presence) }, body)
    }

    /// A node with another composition root.
    func withNode(
        _ own: [String: String] = [:], log: Log? = nil, assembledBy assemble: @escaping Service.Assembly,
        _ body: (ServiceUnderTest) async throws -> Void
    ) async throws {
        try await ServiceUnderTest(
            "realtime-gateway", GatewaySettings.entries, settings(own), database: database, redis: redis, log: log,
            assemble: assemble
        ).lent(to: body)
    }

    /// A node in a process of its own, which can be killed.
    ///
    /// - Parameter port: of its clients, by which it is known again when it is started once more.
    func startProcess(
        _ own: [String: String] = [:], port: UInt16 = FreePort.pick()
    ) async throws -> BuiltService {
        let settings = settings(own).merging(["public_address": "127.0.0.1:\(port)"]) { $1 }
        return try await BuiltService(
            "realtime-gateway", database: database, redis: redis, auth: peers.url, in: folder, settings)
    }

    /// The text that a query replies.
    func ask(_ sql: String) async throws -> String {
        String(try await database.run(sql: sql).prefix { $0 != "\n" })
    }

    // MARK: Events

    /// A token of a user. The session's id is the user's plus 1000.
    func token(_ user: Int64, _ profile: String = "gathering") -> String {
        peers.tokens.token(user: user, key: profile)
    }

    /// Someone writes, and chat-service tells it unless it is lost on the way.
    func say(
        _ text: String, in room: RoomID = GatewayHarness.channel, by author: Int64 = 60, isHeard: Bool = true
    ) async throws {
        let message = peers.change { $0.write(text, in: room, by: author, session: author + 1000) }
        if isHeard { try await publish(.message(message)) }
    }

    /// Says many texts one right behind the other.
    func say(
        atOnce texts: some Sequence<String>, in room: RoomID = GatewayHarness.channel, by author: Int64 = 60
    ) async throws {
        let events = texts.map { text in
            let message = peers.change { $0.write(text, in: room, by: author, session: author + 1000) }
            return String(decoding: RoomEvent.message(message).encoded(), as: UTF8.self)
        }
        let script = "for _, event in ipairs(ARGV) do redis.call('PUBLISH', KEYS[1], event) end"
        try await redis.command(["EVAL", script, "1", RoomEvent.channel(of: room)] + events)
    }

    func publish(_ event: RoomEvent) async throws {
        try await redis.command(
            "PUBLISH", RoomEvent.channel(of: event.room), String(decoding: event.encoded(), as: UTF8.self))
    }

    /// A history reply of a session held everything up to `seq`; the hint of it may be lost.
    func tellHistory(
        _ session: Int64, _ seq: Int64, of room: RoomID = GatewayHarness.channel, isHeard: Bool = true
    ) async throws {
        try await redis.command(
            "HSET", "position:\(session):\(room)", "seq", "\(seq)", "history", "\(seq)", "told",
            "\(Timestamp.now.milliseconds)")
        guard isHeard else { return }
        try await redis.command(
            "PUBLISH", "positions", #"{"session":"\#(session)","room":"\#(room)","seq":\#(seq)}"#)
    }

    /// Redis ends and comes back without its data.
    func emptyRedis() async throws {
        try await redis.command("FLUSHALL")
        await redis.kill()
        try await redis.start()
    }

    /// A `/me` socket of a user that is ready.
    func device(_ user: Int64, port: UInt16) async throws -> SocketClient {
        let client = try await SocketClient.joined("/me", port: port, token: token(user, "native"))
        try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
        return client
    }

    /// A socket of a user, of any profile, that gets later messages of the room.
    func reader(
        _ user: Int64, _ profile: String, port: UInt16, in room: RoomID
    ) async throws -> SocketClient {
        if profile != "native" { return try await listener(user, profile, port: port, in: room) }
        try await tellHistory(user + 1000, peers.now.messages[room]?.last?.body.seq ?? 0, of: room)
        return try await SocketClient.joined(Namespace.name(of: room), port: port, token: token(user, profile))
    }

    /// A socket of a user that has been brought to the present of the channel: it has got a message meant for that.
    func listener(
        _ user: Int64, _ profile: String = "gathering", port: UInt16, in room: RoomID = GatewayHarness.channel
    ) async throws -> SocketClient {
        let namespace = Namespace.name(of: room)
        let client = try await SocketClient.joined(namespace, port: port, token: token(user, profile))
        let session = user + 1000
        let head = peers.now.messages[room]?.last?.body.seq ?? 0
        if try await redis.command("EXISTS", "position:\(session):\(room)") == ["0"] {
            try await tellHistory(session, head, of: room)
        }
        try await eventually("a position of \(user)") {
            try await self.redis.command("HGET", "position:\(session):\(room)", "live") != [""]
        }
        return client
    }
}

extension ServiceUnderTest {
    /// Where its clients call.
    var port: UInt16 { running.publicAddress.port }

    /// The metrics page.
    func metrics() async throws -> String {
        try await HTTPCall.get(port: running.internalAddress.port, "/metrics").text
    }
}

extension BuiltService {
    /// Where its clients call.
    var port: UInt16 { publicPort }
}
