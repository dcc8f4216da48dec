import Contract
import Crypto
import EventLoop
import Glibc
import LoadClient
import ServiceSupport
import Synchronization
import TestSupport
import Wire

/// The built realtime-gateway with Postgres, Redis, stubs of the other services and, if asked for, chat-service.
final class GatewayFixture: Sendable {
    /// Optional parts beside the gateway and its stores.
    struct Parts: OptionSet {
        let rawValue: Int
        /// Pushes to FCM, which `PeerServices` stubs.
        static let push = Parts(rawValue: 1)
        /// The built chat-service.
        static let chat = Parts(rawValue: 2)
    }

    static let profileName = "collatalk"

    let layout: RoomLayout
    let redis: RedisServer
    let peers: PeerServices
    let port = FreePort.pick()
    let chatPort = FreePort.pick()
    private let chatInternalPort = FreePort.pick()
    private let folder = TemporaryFolder("maru-fanout")
    private let cluster: PostgresCluster
    private let processes: [ChildProcess]
    /// The settings of the gateway.
    private let gateway: [String: String]
    private let issuer = TokenIssuer()
    private let tokens = Mutex<[String: String]>([:])

    /// - Parameter loops: the gateway's loops; 0 for the default of one a core.
    static func start(_ layout: RoomLayout, loops: Int = 0, with parts: Parts = []) async throws -> GatewayFixture {
        let redis = try await RedisServer.start(["--appendonly", "yes", "--appendfsync", "everysec"])
        let cluster = try await PostgresCluster.start(["fsync=on"])
        let databases = [try await cluster.makeDatabase(), try await cluster.makeDatabase()]
        let fixture = try GatewayFixture(
            layout, loops: loops, parts, redis, cluster, databases.map(\.connectionString))
        for port in [fixture.port] + (parts.contains(.chat) ? [fixture.chatPort] : []) {
            try await eventually(within: .seconds(30), "a start") {
                for process in fixture.processes where !process.isRunning {
                    throw NeverHappened(description: process.output)
                }
                return (try? RawConnection(port: port)) != nil
            }
        }
        return fixture
    }

    private init(
        _ layout: RoomLayout, loops: Int, _ parts: Parts, _ redis: RedisServer, _ cluster: PostgresCluster,
        _ databases: [String]
    ) throws {
        self.layout = layout
        self.redis = redis
        self.cluster = cluster
        peers = try PeerServices(layout, issuer)
        var common = [
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "redis_url": "redis://127.0.0.1:\(redis.port)/0", "auth_url": peers.url, "workspace_url": peers.url,
            "chat_url": peers.url, "log_level": "error",
            "database_url": databases[0],
        ]
        if parts.contains(.chat) { common["chat_url"] = "http://127.0.0.1:\(chatInternalPort)" }
        var gateway = common
        gateway.merge([
            "public_address": "127.0.0.1:\(port)", "internal_address": "127.0.0.1:\(FreePort.pick())",
            "loops": "\(loops)", "drain_window": "0s",
            // All sockets come from one address.
            "handshake_address_rate": "100000", "handshake_address_burst": "100000",
        ]) { $1 }
        if parts.contains(.push) {
            gateway["fcm_url"] = peers.url
            gateway["fcm_token_url"] = peers.url + "/token"
            gateway["fcm_service_account"] = Self.writeAccount(in: folder.path)
        }
        self.gateway = gateway
        var processes = [try Self.run("realtime-gateway", gateway, in: folder.path)]
        if parts.contains(.chat) {
            var chat = common
            chat.merge([
                "public_address": "127.0.0.1:\(chatPort)", "internal_address": "127.0.0.1:\(chatInternalPort)",
                "database_url": databases[1], "files_folder": folder.path + "/files",
            ]) { $1 }
            processes.append(try Self.run("chat-service", chat, in: folder.path))
        }
        self.processes = processes
    }

    private static func run(_ name: String, _ settings: [String: String], in folder: String) throws -> ChildProcess {
        try ChildProcess.service(name, settings, log: "\(folder)/\(name).log")
    }

    /// Writes the key file of FCM's service account.
    private static func writeAccount(in folder: String) -> String {
        let text = JSONWriter.bytes { json in
            json.object { json in
                json.field("project_id", "load")
                json.field("private_key_id", "load")
                json.field("private_key", SigningKey.generate().pem)
                json.field("client_email", "load@load.iam.gserviceaccount.com")
            }
        }
        let path = folder + "/account.json"
        let file = fopen(path, "w")
        fwrite(text, 1, text.count, file)
        fclose(file)
        return path
    }

    /// The meter of the gateway.
    var meter: ProcessMeter { ProcessMeter(pid: processes[0].pid) }

    /// The meter of Redis.
    var redisMeter: ProcessMeter { ProcessMeter(pid: redis.pid) }

    /// The meter of chat-service, if it runs.
    var chatMeter: ProcessMeter? { processes.count > 1 ? ProcessMeter(pid: processes[1].pid) : nil }

    /// Seconds of processor time of Postgres.
    var postgresTime: Double { cluster.processorTime }

    /// Kills the gateway, and starts another one at the same address.
    func killGateway() async throws -> ChildProcess {
        processes[0].signal(9)
        await processes[0].wait()
        return try Self.run("realtime-gateway", gateway, in: folder.path)
    }

    /// An access token of a user, valid for a day. A device that comes back has its token, so it is signed once.
    func token(of user: Int, _ profile: String = GatewayFixture.profileName) -> String {
        tokens.withLock { tokens in
            let name = "\(profile) \(user)"
            if let known = tokens[name] { return known }
            let made = issuer.token(user: Int64(user), key: profile, lives: .seconds(86_400))
            tokens[name] = made
            return made
        }
    }

    /// Journeys that each post a message with its sending time, as a member of the next room.
    func posting() -> LoadRun.Journey {
        let rooms = layout.rooms
        let authors = (1...rooms).map { layout.users(of: ChannelID(Int64($0))).first { _ in true } ?? 1 }
        let tokens = authors.map { token(of: $0) }
        return { connection, number, end in
            let room = number % rooms
            let content = TimedEvent.content(EventLoop.preciseNow, size: 80)
            let request = LoadConnection.request(
                "POST", "/v1/workspaces/\(RoomLayout.workspace)/channels/\(room + 1)/chats",
                headers: [("SesacKey", Self.profileName), ("Authorization", tokens[room])],
                body: #"{"content":"\#(content)"}"#)
            connection.send(request) { reply in
                let text = String(decoding: reply.body, as: UTF8.self)
                end(reply.status == 200 && text.contains("chat_id") ? nil : "\(reply.status) \(text)")
            }
        }
    }

    func stop() async {
        for process in processes.reversed() { await process.stop() }
        await redis.stop()
        await cluster.stop()
        await peers.stop()
    }
}
