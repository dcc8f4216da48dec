import EventLoop
import HTTP
import LoadClient
import TestSupport
import Wire

/// The built auth-service on a Postgres that writes to disk as in production, with a stand-in of payment-service.
final class LoadedHouse: Sendable {
    let port = FreePort.pick()
    let barePort = FreePort.pick()
    let loops = EventLoopGroup(count: 2)
    private let cluster: PostgresCluster
    private let redis: RedisServer
    private let process: ChildProcess
    private let bare: ChildProcess
    private let payments: Server
    private let paymentLoops = EventLoopGroup(count: 1)
    private let folder = TemporaryFolder("load-auth")

    /// Passwords hashed at a time.
    static let hashThreads = 2
    private static let serviceLoops = 2

    /// What the service costs.
    var meter: ProcessMeter { ProcessMeter(pid: process.pid) }
    /// What the bare server costs.
    var bareMeter: ProcessMeter { ProcessMeter(pid: bare.pid) }

    static func start() async throws -> LoadedHouse {
        let cluster = try await PostgresCluster.start(["fsync=on", "shared_buffers=128MB", "checkpoint_timeout=30min"])
        let redis = try await RedisServer.start()
        let house = try LoadedHouse(cluster, try await cluster.makeDatabase(), redis)
        try await eventually(within: .seconds(30), "auth-service") {
            guard house.process.isRunning else { throw NeverHappened(description: house.process.output) }
            return (try? await HTTPCall.get(port: house.port, "/v1/users/me").status) != nil
        }
        try await eventually(within: .seconds(30), "the bare server") {
            (try? await HTTPCall.get(port: house.barePort, "/").status) == 200
        }
        return house
    }

    private init(_ cluster: PostgresCluster, _ database: TestDatabase, _ redis: RedisServer) throws {
        self.cluster = cluster
        self.redis = redis
        payments = Server(on: paymentLoops) { request in
            let asked = try JSONValue(parsing: try await request.body.collect(upTo: 1 << 20))
            let ids = asked["ids"]?.elements?.compactMap(\.string) ?? []
            return .json(
                JSONWriter.bytes(capacity: 64 * ids.count) { json in
                    json.object { json in
                        json.array("balances") { json in
                            for id in ids {
                                json.object { json in
                                    json.field("user_id", id)
                                    json.field("balance", 100)
                                }
                            }
                        }
                    }
                })
        }
        let paymentPort = try payments.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let unlimited = "1000000"
        let settings = [
            "public_address": "127.0.0.1:\(port)", "internal_address": "127.0.0.1:\(FreePort.pick())",
            "clients_file": "/\(root)/deploy/clients.json", "service_credential": "0123456789abcdef0123456789abcdef",
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "payment_url": "http://127.0.0.1:\(paymentPort)", "files_folder": folder.path, "log_level": "error",
            "loops": "\(Self.serviceLoops)", "hash_threads": "\(Self.hashThreads)",
            // One machine plays a crowd.
            "user_rate": unlimited, "user_burst": unlimited, "address_rate": unlimited, "address_burst": unlimited,
        ]
        process = try ChildProcess.product(
            "auth-service",
            environment: Dictionary(uniqueKeysWithValues: settings.map { ("MARU_" + $0.key.uppercased(), $0.value) }),
            log: folder.path + "/log")
        bare = try ChildProcess.product(
            "load-auth", ["serve", "\(barePort)", "\(Self.serviceLoops)"], log: folder.path + "/bare-log")
    }

    /// Lets so many people join.
    func open(_ count: Int) async throws -> [Person] {
        var people: [Person] = []
        for number in 1...count {
            let email = "person\(number)@load.kr"
            let reply = try await HTTPCall.post(
                port: port, "/v1/users/join",
                json: #"{"email":"\#(email)","password":"\#(Person.password)","nickname":"사람\#(number)"}"#,
                headers: [("SesacKey", Person.key)])
            guard let token = try JSONValue(parsing: reply.body)["token"]?["accessToken"]?.string else {
                throw NeverHappened(description: "a join: \(reply.status) \(reply.text)")
            }
            people.append(Person(email: email, accessToken: token))
        }
        return people
    }

    func stop() async {
        await process.stop()
        await bare.stop()
        await payments.stop()
        await redis.stop()
        await cluster.stop()
    }
}
