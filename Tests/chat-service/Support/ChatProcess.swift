import Glibc
import ServiceSupport
import Synchronization
import TestSupport

/// The built chat-service as a process, which is killed and started again on the same ports.
final class ChatProcess: Sendable {
    let publicPort = FreePort.pick()
    let internalPort = FreePort.pick()
    let peers: StubPeers
    private let process = Mutex<ChildProcess?>(nil)
    private let settings: [String: String]
    private let folder = TemporaryFolder("maru-chat-process")

    /// Starts it and waits until it is ready.
    init(database: TestDatabase, redis: RedisServer, peers: StubPeers) async throws {
        self.peers = peers
        settings = [
            "public_address": "127.0.0.1:\(publicPort)", "internal_address": "127.0.0.1:\(internalPort)",
            "clients_file": ServiceUnderTest.clients, "service_credential": ServiceUnderTest.credential,
            "database_url": database.connectionString, "redis_url": "redis://127.0.0.1:\(redis.port)/0",
            "auth_url": peers.url, "workspace_url": peers.url, "files_folder": folder.path + "/files", "loops": "2",
            "database_connections": "2", "user_rate": "100000", "user_burst": "100000", "log_level": "error",
        ]
        try await start()
    }

    func start() async throws {
        let environment = settings.map { ("MARU_" + $0.key.uppercased(), $0.value) }
        let child = try ChildProcess.product(
            "chat-service", environment: Dictionary(uniqueKeysWithValues: environment), log: folder.path + "/log")
        process.withLock { $0 = child }
        try await eventually(within: .seconds(60), "a start of chat-service") {
            guard child.isRunning else { throw NeverHappened(description: "a start: \(child.output)") }
            return (try? await HTTPCall.get(port: self.internalPort, "/readyz").status) == 200
        }
    }

    /// Ends it as a crash would.
    func kill() async { await process.withLock(\.self)?.stop(SIGKILL) }

    func stop() async { await process.withLock(\.self)?.stop() }

    /// The names of the files of channels in its store.
    var storedFiles: [String] { Upload.names(in: folder.path + "/files/channelChats") }

    /// Bytes resident in memory that no file backs.
    var anonymousBytes: Int {
        let pid = process.withLock { $0?.pid } ?? 0
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status")) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
    }

    /// The head of a call by a user who has signed in.
    func headers(_ user: Int64) -> [(String, String)] {
        [("SesacKey", "native"), ("Authorization", peers.tokens.token(user: user, key: "native"))]
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
