import EventLoop
import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct LifecycleTests {
    @Test("A client that closes or resets its connection cancels its handler")
    func cancellation() async throws {
        let journal = Journal<String>()
        try await withServer { _ in
            journal.note("begun")
            do {
                try await EventLoop.current?.sleep(for: .seconds(3600))
            } catch {
                journal.note("\(type(of: error))")
                throw error
            }
            return Response()
        } body: { running in
            for isReset in [false, true] {
                var client: Client? = try running.client()
                try client?.get("/")
                #expect(try journal.next() == "begun")
                if isReset { client?.connection.resetWhenClosed() }
                client = nil
                #expect(try journal.next() == "CancellationError")
            }
            try running.waitUntilEmpty()
        }
    }

    @Test("One client's end does not cancel another client's handler")
    func neighbours() async throws {
        let gate = Gate()
        let ended = Counter()
        try await withServer { request in
            if request.pathText == "/quick" { return .json([]) }
            do {
                try await gate.pass()
            } catch {
                ended.add()
            }
            return Response(type: "text/plain", Array((Task.isCancelled ? "cancelled" : "fine").utf8))
        } body: { running in
            let patient = try (0..<10).map { _ in try running.client() }
            for client in patient { try client.get("/") }
            for _ in 0..<10 {
                let hasty = try running.client()
                try hasty.get("/")
                try hasty.get("/quick")
                hasty.connection.resetWhenClosed()
            }
            while running.server.connectionCount > 10 { usleep(1000) }
            gate.open()
            for client in patient { #expect(try client.reply().text == "fine") }
            // The connections still work.
            for client in patient { try client.get("/") }
            for client in patient { #expect(try client.reply().text == "fine") }
            #expect(ended.value <= 10)
        }
    }

    @Test("A client that ends its side after its requests still gets all replies")
    func halfClose() async throws {
        try await withServer { request in
            await Task.yield()
            return Response(type: "text/plain", Array(request.path))
        } body: { running in
            let client = try running.client()
            try client.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            client.connection.finishSending()
            for number in 0..<50 { #expect(try client.reply().text == "/\(number)") }
            #expect(try client.rest() == "")
        }
    }

    @Test("An upgrade hands over the socket with the bytes after the request, and stops HTTP's time-outs")
    func upgrade() async throws {
        let echo = Mutex<[ObjectIdentifier: WeakBox]>([:])
        try await withServer {
            $0.idleTimeout = .milliseconds(100)
        } _: { request in
            guard request.headers.lists("upgrade", in: .connection) else { return Response(.badRequest) }
            return .upgrade(to: "echo", headers: ["X-Hello": "there"]) { socket in
                let handler = EchoHandler(socket: socket)
                echo.withLock { $0[ObjectIdentifier(handler)] = WeakBox(value: handler) }
                return handler
            }
        } body: { running in
            let client = try running.client()
            try client.get("/", "Connection: Upgrade", "Upgrade: echo")
            let reply = try client.reply()
            #expect(reply.status == 101 && reply["Upgrade"] == "echo" && reply["Connection"] == "Upgrade")
            #expect(reply["X-Hello"] == "there" && reply["Content-Length"] == nil)
            try client.send("one")
            #expect(try client.bytes(3) == Array("one".utf8))
            #expect(running.server.connectionCount == 1, "an upgraded connection keeps its place")
            // Longer than HTTP's idle time-out.
            usleep(300_000)
            try client.send("two")
            #expect(try client.bytes(3) == Array("two".utf8))

            let eager = try running.client()
            try eager.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n\r\nGET / HTTP/1.1\r\n")
            #expect(try eager.reply().status == 101)
            #expect(try eager.bytes(16) == Array("GET / HTTP/1.1\r\n".utf8))
            client.connection.finishSending()
            eager.connection.finishSending()
            #expect(try client.rest() == "" && eager.rest() == "")
            try running.waitUntilEmpty()
        }
        #expect(echo.withLock { $0.values.allSatisfy { $0.value == nil } })
    }

    @Test("A port that another server listens on is refused")
    func portInUse() async throws {
        try await withServer { _ in
            Response()
        } body: { running in
            let second = Server(on: running.group) { _ in Response() }
            #expect(throws: SocketError.self) {
                try second.start(at: SocketAddress(ip: "127.0.0.1", port: running.port)!)
            }
        }
    }
}

/// - Note: `@unchecked Sendable` because the runtime reads and clears a weak reference atomically, and nothing sets it
/// again.
struct WeakBox: @unchecked Sendable { weak var value: AnyObject? }

/// Sends back every byte.
final class EchoHandler: StreamHandler {
    private weak var socket: StreamSocket?

    init(socket: StreamSocket) { self.socket = socket }

    func received(_ bytes: RawSpan) -> Int {
        socket?.write(bytes.withUnsafeBytes { Array($0) })
        return bytes.byteCount
    }

    func endOfInput() { socket?.closeAfterFlush() }

    func drained() {}

    func closed(_ end: StreamSocket.End) {}
}
