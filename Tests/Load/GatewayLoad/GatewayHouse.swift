import Contract
import Crypto
import EventLoop
import Glibc
import LoadClient
import ServiceSupport
import TestSupport
import Wire

/// The built realtime-gateway with what it stands on: a Redis, the other services, and where asked for a Postgres and
/// chat-service.
final class GatewayHouse: Sendable {
    /// What stands beside the gateway and Redis.
    struct Company: OptionSet {
        let rawValue: Int
        /// Pushes are handed to FCM, as `OtherServices` plays it.
        static let push = Company(rawValue: 1)
        /// The built chat-service.
        static let chat = Company(rawValue: 2)
    }

    static let profileName = "collatalk"

    let seating: Seating
    let redis: RedisServer
    let others: OtherServices
    let port = FreePort.pick()
    let chatPort = FreePort.pick()
    private let chatInternalPort = FreePort.pick()
    private let folder = TemporaryFolder("maru-fanout")
    private let cluster: PostgresCluster?
    private let processes: [ChildProcess]
    private let issuer = TokenIssuer()

    /// - Parameter loops: the gateway's; 0 for one a core, as by default.
    static func start(_ seating: Seating, loops: Int = 0, with company: Company = []) async throws -> GatewayHouse {
        let redis = try await RedisServer.start(["--appendonly", "yes", "--appendfsync", "everysec"])
        let cluster = company.isEmpty ? nil : try await PostgresCluster.start(["fsync=on"])
        let databases = [try await cluster?.makeDatabase(), try await cluster?.makeDatabase()].compactMap(\.self)
        let house = try GatewayHouse(
            seating, loops: loops, company, redis, cluster, databases.map(\.connectionString))
        for port in [house.port] + (company.contains(.chat) ? [house.chatPort] : []) {
            try await eventually(within: .seconds(30), "a start") {
                for process in house.processes where !process.isRunning {
                    throw NeverHappened(description: process.output)
                }
                return (try? RawConnection(port: port)) != nil
            }
        }
        return house
    }

    private init(
        _ seating: Seating, loops: Int, _ company: Company, _ redis: RedisServer, _ cluster: PostgresCluster?,
        _ databases: [String]
    ) throws {
        self.seating = seating
        self.redis = redis
        self.cluster = cluster
        others = try OtherServices(seating, issuer)
        var common = [
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "redis_url": "redis://127.0.0.1:\(redis.port)/0", "auth_url": others.url, "workspace_url": others.url,
            "chat_url": others.url, "log_level": "error",
            "database_url": databases.first ?? "postgres://127.0.0.1:1/no",
        ]
        if company.contains(.chat) { common["chat_url"] = "http://127.0.0.1:\(chatInternalPort)" }
        var gateway = common
        gateway.merge([
            "public_address": "127.0.0.1:\(port)", "internal_address": "127.0.0.1:\(FreePort.pick())",
            "loops": "\(loops)", "drain_window": "0s",
        ]) { $1 }
        if company.contains(.push) {
            gateway["fcm_url"] = others.url
            gateway["fcm_token_url"] = others.url + "/token"
            gateway["fcm_service_account"] = Self.writeAccount(in: folder.path)
        }
        var processes = [try Self.run("realtime-gateway", gateway, in: folder.path)]
        if company.contains(.chat) {
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

    /// The key file of the identity for FCM.
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

    /// What the gateway costs.
    var meter: ProcessMeter { ProcessMeter(pid: processes[0].pid) }

    /// What the Redis costs.
    var redisMeter: ProcessMeter { ProcessMeter(pid: redis.pid) }

    /// An access token of a user, good for a day.
    func token(of user: Int) -> String {
        issuer.token(user: Int64(user), key: Self.profileName, lives: .seconds(86_400))
    }

    /// Journeys each of which posts a message, that says when it was sent, by a member of the next room.
    func posting() -> LoadRun.Journey {
        let rooms = seating.rooms
        let tokens = (1...rooms).map { token(of: $0) }
        return { connection, number, end in
            let room = number % rooms
            let content = TimedEvent.content(EventLoop.preciseNow, size: 80)
            let request = LoadConnection.request(
                "POST", "/v1/workspaces/\(Seating.workspace)/channels/\(room + 1)/chats",
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
        await cluster?.stop()
        await others.stop()
    }
}
