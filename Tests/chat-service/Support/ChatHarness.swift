import EventLoop
import ServiceKit
import ServiceSupport
import Synchronization
import Telemetry
import TestSupport
import Wire

@testable import chat_service

/// One or more instances of the service that share a database, a Redis and a folder of files, with stubs of its peers.
final class ChatHarness: Stoppable {
    let peers: StubPeers
    let database: ChatDatabase
    let redis: RedisServer
    let instances: [ServiceUnderTest]
    let files = TemporaryFolder("maru-chat-files")
    /// The registered routes of the service.
    let routes: Routes

    struct Routes: Sendable {
        var clients: [String] = []
        var services: [String] = []
        /// How the routes for clients differ from their descriptions.
        var undescribed: [String] = []
    }

    private final class Listing: Sendable {
        let value = Mutex(Routes())
    }

    private init(
        instances count: Int, _ settings: [String: String], on cluster: PostgresCluster?, log: Log?
    ) async throws {
        peers = try StubPeers()
        database = try await ChatDatabase(on: cluster)
        redis = try await RedisServer.start(isDurable: true)
        var all = [
            "auth_url": peers.url, "workspace_url": peers.url, "realtime_url": peers.url,
            "here_timeout": "3s", "user_here": "100000", "files_folder": files.path, "user_rate": "100000",
            "user_burst": "100000", "search_timeout": Duration.seconds(10).patiently.setting,
            "chat_engine": ChatEngine.ofTests.rawValue,
            // A call without an answer for half of it is made again, and tests count calls.
            "internal_timeout": Duration.seconds(20).patiently.setting,
        ]
        // Batches have a connection for themselves there.
        if ChatEngine.ofTests == .citus { all["database_connections"] = "8" }
        all.merge(settings) { _, given in given }
        var instances: [ServiceUnderTest] = []
        let listing = Listing()
        for _ in 0..<count {
            instances.append(
                try await ServiceUnderTest(
                    "chat-service", ChatSettings.entries, all, database: database.database, redis: redis, log: log
                ) { service in
                    try await App.assemble(service)
                    service.publicRoutes { routes in
                        listing.value.withLock {
                            $0.clients = routes.listing
                            $0.undescribed = routes.differences(from: Reference.all)
                        }
                    }
                    service.internalRoutes { routes in listing.value.withLock { $0.services = routes.listing } }
                })
        }
        self.instances = instances
        routes = listing.value.withLock(\.self)
        // Before that, subscriptions may not have started.
        for channel in ["invalidate:users", "invalidate:access"] { try await redis.untilHeard(channel, by: count) }
    }

    /// More services at once would starve each other on two cores, and meet their time-outs.
    private static let slots = TestSlots(6)

    /// Runs `body` against a new service, when one of the slots is free.
    static func use(
        instances: Int = 1, _ settings: [String: String] = [:], on cluster: PostgresCluster? = nil, log: Log? = nil,
        _ body: (ChatHarness) async throws -> Void
    ) async throws {
        try await slots.run {
            try await ChatHarness(instances: instances, settings, on: cluster, log: log).lent(to: body)
        }
    }

    func stop() async {
        for instance in instances { await instance.stop() }
        await database.stop()
        await peers.stop()
        await redis.stop()
    }

    // MARK: Calls

    var refusalProbe: RefusalProbe { instances[0].refusalProbe(tokens: peers.tokens) }

    /// Makes a call with a user's access token.
    func call(
        _ method: String, _ path: String, user: Int64 = 1, key: String = "native", json: String? = nil,
        headers: [(String, String)] = [], body: [UInt8] = [], on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        let type = json == nil ? [] : [("Content-Type", "application/json")]
        return try await instances[instance].call(
            method, path, key: key, token: peers.tokens.token(user: user, key: key), headers: headers + type,
            body: json.map { Array($0.utf8) } ?? body)
    }

    /// Sends text to a channel of workspace 3.
    func send(
        _ text: String, user: Int64 = 1, to channel: Int64 = 7, clientID: String? = nil, on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        let name = clientID.map { #","client_id":"\#($0)""# } ?? ""
        return try await call(
            "POST", "/v1/workspaces/3/channels/\(channel)/chats", user: user, json: #"{"content":"\#(text)"\#(name)}"#,
            on: instance)
    }

    /// The messages of a channel of workspace 3.
    func history(
        _ query: String = "", user: Int64 = 1, of channel: String = "7", key: String = "native"
    ) async throws -> [JSONValue] {
        let reply = try await call(
            "GET", "/v1/workspaces/3/channels/\(channel)/chats\(query)", user: user, key: key)
        guard reply.status == 200, let elements = try reply.json.elements else {
            throw NeverHappened(description: "a history: \(reply.status) \(reply.text)")
        }
        return elements.map { $0 }
    }

    func unread(
        _ query: String = "", user: Int64, of channel: String = "7", key: String = "native"
    ) async throws -> Int {
        let reply = try await call(
            "GET", "/v1/workspaces/3/channels/\(channel)/unreads\(query)", user: user, key: key)
        guard let count = try reply.json["count"]?.int else {
            throw NeverHappened(description: "a count: \(reply.status) \(reply.text)")
        }
        return count
    }

    /// Repeats `body` until it makes no more calls of a path of the other services. A cache keeps nothing before the service has read
    /// the confirmation of its subscription to hints.
    func untilCached(_ path: String, by body: @Sendable () async throws -> Void) async throws {
        try await eventually("a cached answer of \(path)") {
            let before = self.peers.now.count(path)
            try await body()
            return self.peers.now.count(path) == before
        }
    }

    // MARK: Events and facts

    /// Waits until the outbox has published everything.
    func untilPublished(within limit: Duration = .seconds(30)) async throws {
        try await eventually(within: limit, "publishing") {
            try await self.database.ask("select count(*) from chat.outbox where published_at is null") == "0"
        }
    }

    /// The ids of the entries on the stream of pushes.
    func pushes() async throws -> [String] {
        let parts = try await redis.command("XRANGE", "push", "-", "+")
        return parts.indices.filter { parts[$0] == "id" }.map { parts[$0 + 1] }
    }

    /// Publishes a fact like workspace-service.
    func publishFact(_ id: Int, _ type: String, _ body: String) async throws {
        try await redis.command("XADD", "facts:workspace", "*", "id", "\(id)", "type", type, "body", body)
    }
}
