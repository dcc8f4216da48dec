import EngineIO
import EventLoop
import Glibc
import HTTP
import Synchronization
import TestSupport
import WebSocket

/// An Engine.IO server that echoes, on several loops, so that requests arrive on other loops than their session's.
final class TestServer: Sendable {
    let engine: EngineServer
    let port: UInt16
    private let group: EventLoopGroup
    private let record = Mutex(Record())

    /// Heartbeats and time-outs of upgrades are too late to come on a busy machine.
    init(_ settings: EngineSettings = EngineSettings(), crossOrigin: CrossOrigin = .refused, loops: Int = 3) throws {
        var settings = settings
        settings.pingInterval = .seconds(600)
        settings.pingTimeout = .seconds(600)
        settings.upgradeTimeout = .seconds(600)
        group = EventLoopGroup(count: loops)
        let log = EventLog()
        let engine = EngineServer(on: group, settings: settings, node: "n1", crossOrigin: crossOrigin) {
            request throws(EngineError) in
            if request.headers.contains("X-Forbidden") { throw .forbidden("not you") }
            return EngineAcceptance(mayCompress: !request.headers.contains("X-Nameless")) { _ in Echo(log) }
        }
        let server = Server(on: group) { await engine.respond(to: $0) }
        port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        self.engine = engine
        log.server = self
    }

    deinit {
        let group = group
        Task.detached { group.stop() }
    }

    private struct Record {
        var told: [String] = []
        var sessions = 0
    }

    /// The events of the application, in order.
    var told: [String] { record.withLock { $0.told } }

    /// The number of the application's sessions.
    var sessionCount: Int { record.withLock { $0.sessions } }

    fileprivate func note(_ text: String) { record.withLock { $0.told.append(text) } }

    fileprivate func count(_ change: Int) { record.withLock { $0.sessions += change } }

    /// - Note: `@unchecked Sendable` because the server is set once, before the first event.
    fileprivate final class EventLog: @unchecked Sendable {
        weak var server: TestServer?
    }

    private final class Echo: EngineHandler {
        private let log: EventLog

        init(_ log: EventLog) {
            self.log = log
            log.server?.count(1)
        }

        func received(_ message: Message, on socket: EngineSocket) {
            log.server?.note(socket.loop.isCurrent ? "message" : "a message on another loop")
            if message == .text("close") { socket.close() } else { socket.send(message) }
        }

        func ended(_ ending: EngineEnding, on socket: EngineSocket) {
            log.server?.note(socket.loop.isCurrent ? ending.rawValue : "the end on another loop")
            log.server?.count(-1)
        }
    }

    /// Keeps all loops busy for a while.
    func stall() { for loop in group.loops { loop.execute { usleep(50_000) } } }

    /// Drains, and records the end on a loop that does nothing else.
    func drain(over duration: Duration = .zero, grace: Duration = .seconds(60)) -> Task<Void, Never> {
        Task(executorPreference: group.loops[0]) { [self] in
            await engine.drain(over: duration, grace: grace)
            note("drained")
        }
    }

    // MARK: A client

    func get(_ query: String, headers: [(String, String)] = []) async throws -> HTTPCall.Reply {
        try await HTTPCall.get(port: port, "/?\(query)", headers: headers)
    }

    func post(_ query: String, _ body: String) async throws -> HTTPCall.Reply {
        try await HTTPCall("POST", port: port, "/?\(query)", body: Array(body.utf8)).reply()
    }

    /// Opens a session by polling; returns the query that names it.
    func open() async throws -> String {
        let reply = try await get("EIO=4&transport=polling")
        guard let id = reply.text.firstMatch(of: /"sid":"([^"]+)"/)?.1 else {
            throw NeverHappened(description: "a session: \(reply.text)")
        }
        return "EIO=4&transport=polling&sid=\(id)"
    }

    /// Opens a WebSocket, for a session's query if one is given.
    func webSocket(_ query: String = "EIO=4&transport=websocket") throws -> RawConnection {
        let query = query.replacing("polling", with: "websocket")
        let connection = try RawConnection(port: port)
        try connection.send(ClientRequest.bytes("/?\(query)"))
        let head = try connection.receive(until: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 101") else { throw NeverHappened(description: "101: \(head)") }
        return connection
    }
}

extension RawConnection {
    /// Sends text in one masked frame.
    func send(frame text: String) throws { try send(ClientRequest.frame(text)) }

    /// The text of the next frame; nil for a close frame.
    func frame() throws -> String? {
        let head = try receive(exactly: 2)
        let sizeLength = head[1] == 127 ? 8 : head[1] == 126 ? 2 : 0
        let size = try receive(exactly: sizeLength).reduce(0) { $0 << 8 | Int($1) }
        let content = try receive(exactly: sizeLength > 0 ? size : Int(head[1]))
        return head[0] == 0x81 ? String(decoding: content, as: UTF8.self) : nil
    }
}
