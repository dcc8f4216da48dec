import Glibc
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Wire

@testable import workspace_service

/// One or more instances of the service that share a database, a Redis and a folder of files, with stubs of its peers.
final class WorkspaceHarness: Stoppable {
    let peers: StubPeers
    let database: TestDatabase
    let redis: RedisServer
    let files = TemporaryFolder("maru-workspace-files")
    /// The registered routes of the service.
    let routes: Routes
    private let settings: [String: String]
    private let running = Mutex<[ServiceUnderTest]>([])

    struct Routes: Sendable {
        var clients: [String] = []
        var services: [String] = []
        /// How the routes for clients differ from their descriptions.
        var undescribed: [String] = []
    }

    private init(instances count: Int, _ settings: [String: String], _ cluster: PostgresCluster?) async throws {
        peers = try StubPeers()
        let shared = if let cluster { cluster } else { try await PostgresCluster.ofThisProcess() }
        database = try await shared.makeDatabase()
        redis = try await RedisServer.start(isDurable: true)
        var all = [
            "auth_url": peers.url, "payment_url": peers.url, "chat_url": peers.url, "files_folder": files.path,
            "user_rate": "100000", "user_burst": "100000", "user_workspaces": "100000", "user_invitations": "100000",
            "workspace_invitations": "100000",
        ]
        all.merge(ServiceUnderTest.longLimits) { _, long in long }
        all.merge(settings) { _, given in given }
        all = all.filter { !$0.value.isEmpty }
        self.settings = all
        let listed = Mutex(Routes())
        for _ in 0..<count {
            let instance = try await Self.start(all, database, redis, listed)
            running.withLock { $0.append(instance) }
        }
        routes = listed.withLock(\.self)
        // Before that, the subscription may not have started.
        try await redis.untilHeard("invalidate:users", by: count)
    }

    /// Runs `body` against a new service.
    ///
    /// - Parameter settings: settings that differ from those of most tests; an empty value selects the default.
    static func use(
        instances: Int = 1, _ settings: [String: String] = [:], cluster: PostgresCluster? = nil,
        _ body: (WorkspaceHarness) async throws -> Void
    ) async throws {
        try await WorkspaceHarness(instances: instances, settings, cluster).lent(to: body)
    }

    private static func start(
        _ settings: [String: String], _ database: TestDatabase, _ redis: RedisServer, _ listed: borrowing Mutex<Routes>
    ) async throws -> ServiceUnderTest {
        let seen = Listing()
        let instance = try await ServiceUnderTest(
            "workspace-service", WorkspaceSettings.entries, settings, database: database, redis: redis
        ) { service in
            try await App.assemble(service)
            service.publicRoutes { routes in
                seen.value.withLock {
                    $0.clients = routes.listing
                    $0.undescribed = routes.differences(from: Reference.all)
                }
            }
            service.internalRoutes { routes in seen.value.withLock { $0.services = routes.listing } }
        }
        let routes = seen.value.withLock(\.self)
        listed.withLock { $0 = routes }
        return instance
    }

    private final class Listing: Sendable {
        let value = Mutex(Routes())
    }

    /// Starts another instance.
    func start() async throws {
        let unused = Mutex(Routes())
        let instance = try await Self.start(settings, database, redis, unused)
        running.withLock { $0.append(instance) }
    }

    /// Stops all instances; `start` brings one back.
    func stopInstances() async {
        let all = running.withLock { running in
            defer { running = [] }
            return running
        }
        for instance in all { await instance.stop() }
    }

    func stop() async {
        await stopInstances()
        await peers.stop()
        await redis.stop()
    }

    var instances: [ServiceUnderTest] { running.withLock(\.self) }

    // MARK: Calls

    var refusalProbe: RefusalProbe { instances[0].refusalProbe(tokens: peers.tokens) }

    /// Makes a call with a user's access token and an optional JSON body.
    func call(
        _ method: String, _ path: String, user: Int64 = 1, key: String = "native", json: String? = nil,
        headers: [(String, String)] = [], on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        let type = json == nil ? [] : [("Content-Type", "application/json")]
        return try await instances[instance].call(
            method, path, key: key, token: peers.tokens.token(user: user, key: key), headers: headers + type,
            body: Array((json ?? "").utf8))
    }

    /// Makes a call with a user's access token and a multipart body.
    func call(
        _ method: String, _ path: String, user: Int64 = 1, key: String = "native", form: Form, on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        try await instances[instance].call(
            method, path, key: key, token: peers.tokens.token(user: user, key: key), headers: [Form.type],
            body: form.body)
    }

    /// Makes an internal call, like another service.
    func ask(_ method: String, _ path: String, json: String = "") async throws -> HTTPCall.Reply {
        try await instances[0].internalCall(method, path, json: json)
    }

    // MARK: State

    /// The result of a query, with columns separated by `|` and rows by newlines.
    func sql(_ sql: String) async throws -> String {
        let output = try await database.run(sql: "set search_path to workspace; " + sql)
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    /// All files in the store, including unfinished uploads.
    var storedFiles: Set<String> {
        var names: Set<String> = []
        for folder in ["workspaces", "channels", ".uploads"] {
            guard let listing = opendir("\(files.path)/\(folder)") else { continue }
            defer { closedir(listing) }
            while let entry = readdir(listing) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != "." && name != ".." { names.insert("\(folder)/\(name)") }
            }
        }
        // The default image of system workspaces always exists.
        return names.subtracting(["workspaces/default.png"])
    }
}
