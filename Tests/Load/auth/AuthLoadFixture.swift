import EventLoop
import HTTP
import LoadClient
import TestSupport
import Wire

/// The built auth-service on a Postgres that writes to disk as in production, with a stub of payment-service.
final class AuthLoadFixture: Stoppable {
    let barePort = FreePort.pick()
    let loops = EventLoopGroup(count: 2)
    private let service: LoadedService
    private let bare: ChildProcess
    private let payments: Server
    private let paymentLoops: EventLoopGroup
    private let folder = TemporaryFolder("load-auth")

    /// The threads that hash passwords.
    static let hashThreads = 2
    private static let serviceLoops = 2

    var port: UInt16 { service.publicPort }
    /// The meter of the service.
    var meter: ProcessMeter { service.meter }
    /// The meter of the bare server.
    var bareMeter: ProcessMeter { ProcessMeter(pid: bare.pid) }

    init() async throws {
        paymentLoops = EventLoopGroup(count: 1)
        payments = Server(on: paymentLoops) { request in try await Self.balances(request) }
        let paymentPort = try payments.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        service = try await LoadedService.start(
            "auth-service", postgres: ["checkpoint_timeout=30min"],
            [
                "payment_url": "http://127.0.0.1:\(paymentPort)", "loops": "\(Self.serviceLoops)",
                "hash_threads": "\(Self.hashThreads)",
            ])
        bare = try ChildProcess.product(
            "load-auth", ["serve", "\(barePort)", "\(Self.serviceLoops)"], log: folder.path + "/bare-log")
        try await eventually(within: .seconds(30), "the bare server") { [barePort] in
            (try? await HTTPCall.get(port: barePort, "/").status) == 200
        }
    }

    private static func balances(_ request: Request) async throws -> Response {
        let json = try JSONValue(parsing: try await request.body.collect(upTo: 1 << 20))
        let ids = json["ids"]?.elements?.compactMap(\.string) ?? []
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

    /// Creates accounts through the join route.
    func openAccounts(_ count: Int) async throws -> [LoadUser] {
        var users: [LoadUser] = []
        for number in 1...count {
            let email = "person\(number)@load.kr"
            let reply = try await HTTPCall.post(
                port: port, "/v1/users/join",
                json: #"{"email":"\#(email)","password":"\#(LoadUser.password)","nickname":"사람\#(number)"}"#,
                headers: [("SesacKey", LoadUser.key)])
            guard let token = try JSONValue(parsing: reply.body)["token"]?["accessToken"]?.string else {
                throw NeverHappened(description: "a join: \(reply.status) \(reply.text)")
            }
            users.append(LoadUser(email: email, accessToken: token))
        }
        return users
    }

    func stop() async {
        await service.stop()
        await bare.stop()
        await payments.stop()
    }
}
