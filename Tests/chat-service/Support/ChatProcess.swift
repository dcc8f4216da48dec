import Glibc
import ServiceSupport
import Synchronization
import TestSupport

@testable import chat_service

/// The built chat-service with its own stores. It can be killed and started again on the same ports.
final class ChatProcess: Stoppable {
    let publicPort = FreePort.pick()
    let internalPort = FreePort.pick()
    let peers: StubPeers
    let database: ChatDatabase
    let redis: RedisServer
    private let service = Mutex<BuiltService?>(nil)
    private let folder = TemporaryFolder("maru-chat-process")
    private let settings: [String: String]

    /// Starts it and waits until it is ready.
    ///
    /// - Parameter settings: the settings that differ from those of most tests.
    init(_ settings: [String: String] = [:], on cluster: PostgresCluster? = nil) async throws {
        self.settings = settings
        peers = try StubPeers()
        database = try await ChatDatabase(on: cluster)
        redis = try await RedisServer.start(isDurable: true)
        try await start()
    }

    /// Starts it again.
    func start() async throws {
        let started = try await BuiltService(
            "chat-service", database: database.database, redis: redis, auth: peers.url, in: folder,
            [
                "public_address": "127.0.0.1:\(publicPort)", "internal_address": "127.0.0.1:\(internalPort)",
                "workspace_url": peers.url, "user_rate": "100000", "user_burst": "100000",
                "chat_engine": ChatEngine.ofTests.rawValue,
            ].merging(settings) { _, own in own })
        service.withLock { $0 = started }
    }

    /// Kills it, like a crash.
    func kill() async { await service.withLock(\.self)?.kill() }

    func stop() async {
        await service.withLock(\.self)?.stop()
        await database.stop()
        await redis.stop()
        await peers.stop()
    }

    /// The names of the files of channels in its store.
    var storedFiles: [String] { Upload.names(in: folder.path + "/channelChats") }

    /// The names of unfinished uploads.
    var uploads: [String] { Upload.names(in: folder.path + "/.uploads") }

    /// The names of the copies of a bucket's files.
    var copies: [String] { Upload.names(in: folder.path + "/.copies-chat-service") }

    /// Creates a file in the store's folder with a modification time of `age` seconds ago.
    func plant(_ name: String, age: Int) throws {
        let path = "\(folder.path)/\(name)"
        mkdir("\(folder.path)/\(name.prefix { $0 != "/" })", 0o750)
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o640)
        guard descriptor >= 0 else { throw NeverHappened(description: "a file \(path)") }
        close(descriptor)
        let moment = timeval(tv_sec: time(nil) - age, tv_usec: 0)
        guard utimes(path, [moment, moment]) == 0 else { throw NeverHappened(description: "a time of \(path)") }
    }

    var process: ChildProcess? { service.withLock(\.self)?.process }

    var anonymousBytes: Int { process?.anonymousBytes ?? 0 }

    /// The headers of calls with a user's access token, which lasts for the longest test.
    func headers(_ user: Int64) -> [(String, String)] {
        let token = peers.tokens.token(user: user, key: "native", lives: .seconds(86_400))
        return [("SesacKey", "native"), ("Authorization", token)]
    }

    /// Sends text to a channel of workspace 3.
    func send(
        _ text: String, user: Int64, to channel: Int64 = 7, clientID: String
    ) async throws -> HTTPCall.Reply {
        try await HTTPCall.post(
            port: publicPort, "/v1/workspaces/3/channels/\(channel)/chats",
            json: #"{"content":"\#(text)","client_id":"\#(clientID)"}"#, headers: headers(user))
    }
}
