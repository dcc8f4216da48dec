import EventLoop
import Testing

@testable import WebSocket

@Suite("A WebSocket on a socket", .timeLimit(.minutes(10)))
struct ConnectionTests {
    private static func pair(
        on loop: EventLoop, _ options: WebSocketOptions = .patient, deflate: DeflateParameters? = nil,
        server: NotingHandler, client: NotingHandler
    ) async throws -> (server: WebSocketConnection, client: WebSocketConnection) {
        let sockets = try await SocketPair(on: loop)
        let pool = CompressionPool()
        let near = WebSocketConnection(
            sockets.near, role: .server, options: options, deflate: deflate, pool: pool
        ) { _ in server }
        let far = WebSocketConnection(
            sockets.far, role: .client, options: options, deflate: deflate, pool: pool
        ) { _ in client }
        sockets.near.start(near)
        sockets.far.start(far)
        return (near, far)
    }

    /// A server's WebSocket with a raw socket as its client.
    private static func rawPair(
        on loop: EventLoop, _ options: WebSocketOptions = .patient, server: NotingHandler
    ) async throws -> (server: WebSocketConnection, client: StreamSocket, side: RawSide) {
        let sockets = try await SocketPair(on: loop)
        let near = WebSocketConnection(sockets.near, role: .server, options: options) { _ in server }
        let side = RawSide()
        sockets.near.start(near)
        sockets.far.start(side)
        return (near, sockets.far, side)
    }

    @Test("Everything in a connection that a shared frame reads is within the part that is loaded ahead")
    func layout() async throws {
        try await onLoop { loop in
            let (near, far) = try await Self.pair(on: loop, server: NotingHandler(), client: NotingHandler())
            let start = UnsafeRawPointer(Unmanaged.passUnretained(near).toOpaque())
            let machine = withUnsafeMutablePointer(to: &near.machine) { UnsafeRawPointer($0) } - start
            let compression = try #require(MemoryLayout<WebSocketMachine>.offset(of: \.compression))
            let end = machine + compression + MemoryLayout<MessageCompression?>.size
            #expect(end <= WebSocketConnection.sharedSize)
            #expect(machine > 24, "the object's header and the socket come first")
            near.abort()
            far.abort()
        }
    }

    @Test("Messages and pings travel both ways, compressed and not", arguments: [nil, DeflateParameters()])
    func bothWays(deflate: DeflateParameters?) async throws {
        try await onLoop { loop in
            let server = NotingHandler { message, connection in connection.send(message) }
            let client = NotingHandler()
            let (_, connection) = try await Self.pair(on: loop, deflate: deflate, server: server, client: client)
            for message in [Message.text(""), .text(String(repeating: "마루", count: 1000)), .binary([0, 255])] {
                connection.send(message)
                #expect(await client.journal.message() == message)
            }
            connection.ping([7])
            #expect(await client.journal.next { if case .pong([7]) = $0 { true } else { nil } } == true)
            connection.abort()
        }
    }

    @Test("16 MiB arrive, with pauses of the reader")
    func large() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions.patient
            options.limits = SizeLimits(message: 16 << 20)
            options.outputLimit = 32 << 20
            let server = NotingHandler { message, connection in connection.send(message) }
            let client = NotingHandler()
            let (_, connection) = try await Self.pair(on: loop, options, server: server, client: client)
            let message = Message.binary((0..<(16 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 8) as UInt8 })
            connection.send(message)
            #expect(await client.journal.message() == message)
            connection.abort()
        }
    }

    @Test(
        "A close handshake ends both sides cleanly, with earlier messages delivered", arguments: [true, false])
    func closing(serverCloses: Bool) async throws {
        try await onLoop { loop in
            let (server, client) = (NotingHandler(), NotingHandler())
            let (near, far) = try await Self.pair(on: loop, server: server, client: client)
            let (closer, other) = serverCloses ? (near, client) : (far, server)
            closer.send(.text("last"))
            closer.close(.goingAway, reason: "restart")
            closer.send(.text("never"))
            #expect(await other.journal.message() == .text("last"))
            for handler in [server, client] {
                let ending = try #require(await handler.journal.ending())
                #expect(ending.code == .goingAway && ending.isClean)
            }
            #expect(!near.isOpen && !far.isOpen && near.handler == nil && far.handler == nil)
        }
    }

    @Test("A peer that never answers a close frame is disconnected after the time-out")
    func unansweredClose() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions.patient
            options.closeTimeout = .milliseconds(50)
            let server = NotingHandler()
            let (near, _, side) = try await Self.rawPair(on: loop, options, server: server)
            near.close()
            #expect(await server.journal.ending()?.code == .abnormal)
            #expect(near.socket.isClosed)
            _ = await side.journal.next { if case .endOfInput = $0 { true } else { nil } }
        }
    }

    @Test("A peer that violates the protocol while it still sends can read the reason")
    func lastFrameArrives() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions.patient
            options.limits = SizeLimits(message: 1000)
            let server = NotingHandler()
            let (_, client, side) = try await Self.rawPair(on: loop, options, server: server)
            client.write(TestFrame.binary([UInt8](repeating: 0, count: 3 << 20)).bytes())
            #expect(await server.journal.ending()?.code == .messageTooBig)
            let frames = try await side.framesUntilEnd()
            #expect(frames.map(\.opcode) == [8] && frames[0].payload.prefix(2) == [0x03, 0xF1])
        }
    }

    @Test("A slow reader gets 1013 and no dropped messages when it reads again, and other sockets do not wait")
    func slowReader() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions.patient
            options.outputLimit = 1 << 20
            let (slow, fast, fastClient) = (NotingHandler(), NotingHandler(), NotingHandler())
            let (near, client, side) = try await Self.rawPair(on: loop, options, server: slow)
            let (nearFast, _) = try await Self.pair(on: loop, options, server: fast, client: fastClient)
            client.pauseReading()
            let shared = SharedFrame(.binary([UInt8](repeating: 1, count: 100_000)))
            var sent = 0
            while near.isOpen {
                near.send(shared)
                sent += 1
                nearFast.send(shared)
                #expect(near.queuedBytes <= 1 << 20)
                #expect(await fastClient.journal.message() != nil)
            }
            #expect(await slow.journal.ending()?.code == .tryAgainLater)
            #expect(nearFast.isOpen)
            client.resumeReading()
            let frames = try await side.framesUntilEnd()
            #expect(frames.last?.opcode == 8 && frames.last?.payload.prefix(2) == [0x03, 0xF5])
            #expect(frames.dropLast().allSatisfy { $0.payload.count == 100_000 })
            #expect(frames.count <= sent - 9, "the megabyte that waited is gone")
            nearFast.abort()
        }
    }

    @Test("A fast reader is not disconnected, however much is sent in one turn")
    func muchAtOnce() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions.patient
            options.outputLimit = 100_000
            let (server, client) = (NotingHandler(), NotingHandler())
            let (near, far) = try await Self.pair(on: loop, options, server: server, client: client)
            let message = Message.binary([UInt8](repeating: 1, count: 60_000))
            // Far more than the kernel takes from a new connection, and more than the output limit.
            for _ in 0..<4 { near.send(message) }
            #expect(near.isOpen)
            for _ in 0..<4 { #expect(await client.journal.message() == message) }
            far.abort()
        }
    }

    @Test("A message fits under a raised limit of output, which holds for later messages too")
    func raisedLimit() async throws {
        try await onLoop { loop in
            let server = NotingHandler()
            let (near, client, _) = try await Self.rawPair(on: loop, server: server)
            client.pauseReading()
            near.limitOutput(to: 9 << 20)
            near.send(.binary([UInt8](repeating: 1, count: 8 << 20)))
            #expect(near.isOpen)
            let more = Message.binary([UInt8](repeating: 1, count: 100_000))
            while near.isOpen {
                near.send(more)
                #expect(near.queuedBytes <= 9 << 20)
            }
            #expect(await server.journal.ending()?.code == .tryAgainLater)
            client.close()
        }
    }

    @Test("While reading is paused nothing is delivered, not even arrived messages; then all of them are, in order")
    func pausing() async throws {
        try await onLoop { loop in
            let server = NotingHandler { _, connection in connection.pauseReading() }
            let (near, client, _) = try await Self.rawPair(on: loop, server: server)
            client.write([TestFrame.text("1"), .text("2"), .text("3")].flatMap { $0.bytes() })
            for expected in ["1", "2", "3"] {
                #expect(await server.journal.message() == .text(expected))
                near.resumeReading()
            }
            near.pauseReading()
            client.write(TestFrame.close(1000).bytes())
            near.close(.goingAway)
            #expect(await server.journal.ending()?.isClean == true, "closing reads on")
        }
    }

    @Test("A silent peer is pinged, kept while it answers, and disconnected when it does not")
    func keepAlive() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions.patient
            options.keepAlive = .milliseconds(300)
            let (server, client) = (NotingHandler(), NotingHandler())
            let (near, _) = try await Self.pair(on: loop, options, server: server, client: client)
            for _ in 0..<4 {
                _ = await server.journal.next { if case .pong = $0 { true } else { nil } }
            }
            #expect(near.isOpen)
            near.abort()

            let lonely = NotingHandler()
            let (_, _, side) = try await Self.rawPair(on: loop, options, server: lonely)
            #expect(await lonely.journal.ending()?.code == .abnormal)
            #expect(try await side.framesUntilEnd() == [.ping()])
        }
    }

    @Test("A lost connection is reported once, as abnormal")
    func lost() async throws {
        try await onLoop { loop in
            let server = NotingHandler()
            let (near, client, _) = try await Self.rawPair(on: loop, server: server)
            client.close()
            #expect(await server.journal.ending()?.code == .abnormal)
            near.send(.text("nobody"))
            near.close()
            near.abort()
        }
    }
}
