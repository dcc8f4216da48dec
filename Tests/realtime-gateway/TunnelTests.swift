import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import realtime_gateway

@Suite("WebSockets that are forwarded to another node", .serialized)
struct TunnelTests {
    @Test("If the client goes away before the owner of its session answers, the connection to the owner is closed")
    func abandoned() async throws {
        let owners = Mutex<[LateOwner]>([])
        let group = EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let listener = try await loop.run {
            let listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) {
                let socket = StreamSocket(descriptor: $0, peer: $1, on: loop)
                let owner = LateOwner(socket)
                owners.withLock { $0.append(owner) }
                socket.start(owner)
            }
            listener.start()
            return listener
        }
        try await GatewayHarness.use { harness in
            try await harness.withNode(["node": "a"]) { node in
                try await harness.redis.command("SET", "gateway:x", "127.0.0.1:\(listener.address.port)")
                do {
                    let client = try RawConnection(port: node.port)
                    client.resetWhenClosed()
                    var head = "GET /socket.io/?EIO=4&transport=websocket&sid=x.0.AAAAAAAAAAAAAAAAAAAA HTTP/1.1\r\n"
                    head += "Host: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                    try client.send(head)
                    try await eventually("a forwarded WebSocket") { owners.withLock { $0.first?.isAsked == true } }
                    // It is there until now.
                    #expect(client.localPort != 0)
                }
                let first = owners.withLock { $0.first }
                let owner = try #require(first)
                owner.agree()
                try await eventually("the end of the connection to the owner") { owner.isEnded }
            }
        }
        try await loop.run { listener.stop() }
        await onOwnThread { group.stop() }
    }
}

/// The end of a connection at a node that agrees to a WebSocket only when it is told to.
private final class LateOwner: StreamHandler, Sendable {
    private struct State {
        var isAsked = false
        var isEnded = false
    }

    private let socket: StreamSocket
    private let state = Mutex(State())

    init(_ socket: StreamSocket) { self.socket = socket }

    var isAsked: Bool { state.withLock(\.isAsked) }
    var isEnded: Bool { state.withLock(\.isEnded) }

    func agree() {
        let reply = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        socket.loop.execute { [socket] in socket.write(Array(reply.utf8)) }
    }

    func received(_ bytes: RawSpan) -> Int {
        state.withLock { $0.isAsked = true }
        return bytes.byteCount
    }

    func endOfInput() { socket.close() }
    func drained() {}
    func closed(_ end: StreamSocket.End) { state.withLock { $0.isEnded = true } }
}
