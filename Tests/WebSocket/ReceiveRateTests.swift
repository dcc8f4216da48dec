import EventLoop
import Glibc
import Testing

@testable import WebSocket

@Suite("The rates of a WebSocket's peer", .timeLimit(.minutes(10)))
struct ReceiveRateTests {
    private static let second: UInt64 = 1_000_000_000
    /// POLLRDHUP, which the module of the C library hides.
    private static let readEnd: Int16 = 0x2000

    private static func rates(frames: Int = 1000, inflatedBytes: Int = 1_000_000) -> ReceiveRates {
        ReceiveRates(
            frames: .init(perSecond: frames, burst: frames),
            inflatedBytes: .init(perSecond: inflatedBytes, burst: inflatedBytes))
    }

    /// The endings and deliveries that frames at a time cause.
    private static func take(
        _ frames: [TestFrame], at now: UInt64, _ machine: inout WebSocketMachine
    ) -> (delivered: Int, ending: Ending?) {
        var (delivered, ending) = (0, Ending?.none)
        frames.flatMap { $0.bytes() }.withUnsafeBytes { bytes in
            var position = 0
            while let action = machine.receive(bytes.bytes, from: &position, now: now) {
                switch action {
                case .deliver: delivered += 1
                case .finish(let end, _): ending = end
                case .deliverPong, .write: break
                }
            }
        }
        return (delivered, ending)
    }

    private static func machine(_ rates: ReceiveRates, isCompressed: Bool = false) -> WebSocketMachine {
        WebSocketMachine(
            role: .server, limits: SizeLimits(), rates: rates, deflate: isCompressed ? DeflateParameters() : nil,
            pool: isCompressed ? CompressionPool() : nil)
    }

    @Test("A peer may send its burst at once and then its rate; beyond that the WebSocket ends with 1008")
    func frames() {
        var machine = Self.machine(Self.rates(frames: 10))
        let now = 5 * Self.second
        #expect(Self.take(Array(repeating: .text("x"), count: 10), at: now, &machine).delivered == 10)
        #expect(Self.take(Array(repeating: .text("x"), count: 5), at: now + Self.second / 2, &machine).delivered == 5)
        let end = Self.take([.text("x")], at: now + Self.second / 2, &machine)
        #expect(end.delivered == 0 && end.ending?.code == .policyViolation && end.ending?.isClean == false)
    }

    @Test(
        "Pings, pongs and empty fragments count as frames",
        arguments: [[TestFrame.ping()], [.pong()], [.text("x", final: false), .more("")]])
    func cheapFrames(_ kind: [TestFrame]) {
        var machine = Self.machine(Self.rates(frames: 10))
        let frames = Array(kind.prefix(1)) + Array(repeating: kind.last!, count: 50)
        #expect(Self.take(frames, at: Self.second, &machine).ending?.code == .policyViolation)
    }

    @Test("A connection ends with 1008 if its compressed messages inflate to more than the budget")
    func inflation() {
        var machine = Self.machine(Self.rates(inflatedBytes: 10_000), isCompressed: true)
        let bomb = TestFrame(
            reserved: 4, opcode: 1,
            payload: TestDeflate(keepsContext: false).deflated([UInt8](repeating: 120, count: 4000)))
        // The third message begins within the budget and overdraws it.
        #expect(Self.take([bomb, bomb, bomb], at: Self.second, &machine).delivered == 3)
        #expect(Self.take([.text("plain")], at: Self.second, &machine).delivered == 1)
        let end = Self.take([bomb], at: Self.second, &machine)
        #expect(end.delivered == 0 && end.ending?.code == .policyViolation)
    }

    /// A server's WebSocket with a raw socket as its client.
    private static func open(
        on loop: EventLoop, _ options: WebSocketOptions, _ handler: NotingHandler
    ) async throws -> StreamSocket {
        let sockets = try await SocketPair(on: loop)
        let near = WebSocketConnection(
            sockets.near, role: .server, options: options, deflate: DeflateParameters(), pool: CompressionPool()
        ) { _ in handler }
        sockets.near.start(near)
        sockets.far.start(RawSide())
        return sockets.far
    }

    private static func compressed(_ count: Int) -> [UInt8] {
        let deflate = TestDeflate()
        return (0..<count).flatMap { number in
            TestFrame(reserved: 4, opcode: 1, payload: deflate.deflated(Array("bomb \(number)".utf8))).bytes()
        }
    }

    @Test("One compressed message of a socket is inflated a turn, so that the others come between")
    func turns() async throws {
        try await onLoop { loop in
            let order = Journal()
            let other = NotingHandler { message, _ in order.note.yield(.message(message)) }
            let second = try await Self.open(on: loop, WebSocketOptions(), other)
            let bomber = NotingHandler { message, _ in
                order.note.yield(.message(message))
                // The message of the other socket arrives while 99 are waiting.
                guard message == .text("bomb 0") else { return }
                second.write(TestFrame.text("other").bytes())
                second.flush()
            }
            let first = try await Self.open(on: loop, WebSocketOptions(), bomber)
            first.write(Self.compressed(100))
            first.flush()
            var before = 0
            while let message = await order.message(), message != .text("other") { before += 1 }
            #expect(before < 50)
            // None is lost, and they stay in order.
            var last: Message?
            for _ in before..<100 { last = await order.message() }
            #expect(last == .text("bomb 99"))
            first.close()
            second.close()
        }
    }

    @Test("With rates, a server drops messages that it has not inflated yet after the peer has gone")
    func gone() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions()
            options.rates = Self.rates()
            var peer: StreamSocket?
            let handler = NotingHandler { message, connection in
                // The end arrives while 99 are waiting; on a busy machine it may come later than the bytes before it.
                guard message == .text("bomb 0") else { return }
                peer?.closeAfterFlush()
                var end = pollfd(fd: connection.socket.descriptor, events: Self.readEnd, revents: 0)
                #expect(poll(&end, 1, 10_000) == 1)
            }
            peer = try await Self.open(on: loop, options, handler)
            peer?.write(Self.compressed(100))
            peer?.flush()
            var delivered = 0
            loop: while true {
                switch await handler.journal.next({ $0 }) {
                case .message: delivered += 1
                case .ended, nil: break loop
                default: break
                }
            }
            #expect(delivered < 50)
        }
    }

    @Test("With rates, a server reads nothing more of a peer that it has disconnected")
    func noMoreReading() async throws {
        try await onLoop { loop in
            var options = WebSocketOptions.patient
            options.rates = Self.rates()
            // The flood must not fit into the buffers of the kernel.
            let flood = [UInt8](repeating: 0, count: 64 << 20)
            for (first, isFlooded) in [(TestFrame(reserved: 1, opcode: 1).bytes(), true), ([], false)] {
                let handler = NotingHandler()
                let peer = try await Self.open(on: loop, options, handler)
                peer.writeLimit = .max
                peer.write(first + (isFlooded ? flood : TestFrame.close(1000).bytes()))
                peer.flush()
                #expect(await handler.journal.ending()?.code == (isFlooded ? .protocolError : .normal))
                // Turns in which a server that reads on would take megabytes.
                for _ in 0..<100 { try await loop.sleep(for: .milliseconds(1)) }
                #expect((peer.queuedBytes > 0) == isFlooded)
                peer.close()
            }
        }
    }

    @Test("Without rates, everything that a peer sent before its end is delivered")
    func allOfIt() async throws {
        try await onLoop { loop in
            let handler = NotingHandler()
            let peer = try await Self.open(on: loop, WebSocketOptions(), handler)
            peer.write(Self.compressed(100))
            peer.closeAfterFlush()
            var delivered = 0
            while await handler.journal.next({ happening in
                switch happening {
                case .message: true
                case .ended: false
                default: nil
                }
            }) == true { delivered += 1 }
            #expect(delivered == 100)
        }
    }
}
