import EventLoop
import WebSocket

/// An event of one side.
enum Happening: Sendable {
    case message(Message)
    case pong([UInt8])
    case drained
    case ended(Ending)
    /// Raw sides only.
    case bytes([UInt8])
    case endOfInput
    case closed(StreamSocket.End)
}

/// The events of one side, in order.
final class Journal: Sendable {
    private let stream: AsyncStream<Happening>
    let note: AsyncStream<Happening>.Continuation

    init() { (stream, note) = AsyncStream.makeStream() }

    /// Waits for the next event of a kind; earlier events of other kinds are dropped.
    func next<Value>(_ pick: @Sendable (Happening) -> Value?) async -> Value? {
        for await happening in stream { if let value = pick(happening) { return value } }
        return nil
    }

    func message() async -> Message? { await next { if case .message(let message) = $0 { message } else { nil } } }

    func ending() async -> Ending? { await next { if case .ended(let ending) = $0 { ending } else { nil } } }
}

/// A handler that records every event, and echoes or pauses if the test says so.
final class NotingHandler: WebSocketHandler {
    let journal = Journal()
    private let reaction: (Message, WebSocketConnection) -> Void

    init(reaction: @escaping (Message, WebSocketConnection) -> Void = { _, _ in }) { self.reaction = reaction }

    func received(_ message: Message, on connection: WebSocketConnection) {
        journal.note.yield(.message(message))
        reaction(message, connection)
    }
    func receivedPong(_ payload: [UInt8], on connection: WebSocketConnection) { journal.note.yield(.pong(payload)) }
    func drained(_ connection: WebSocketConnection) { journal.note.yield(.drained) }
    func ended(_ ending: Ending, on connection: WebSocketConnection) { journal.note.yield(.ended(ending)) }
}

/// A side without WebSocket, which sends and receives raw bytes.
final class RawSide: StreamHandler {
    let journal = Journal()

    func received(_ bytes: RawSpan) -> Int {
        journal.note.yield(.bytes(bytes.withUnsafeBytes { Array($0) }))
        return bytes.byteCount
    }
    func endOfInput() { journal.note.yield(.endOfInput) }
    func drained() {}
    func closed(_ end: StreamSocket.End) { journal.note.yield(.closed(end)) }

    /// All bytes until the other side ends the connection in order; a reset is an error.
    func framesUntilEnd() async throws -> [TestFrame] {
        var bytes: [UInt8] = []
        while let happening = await journal.next({ $0 }) {
            switch happening {
            case .bytes(let part): bytes += part
            case .endOfInput: return try TestFrame.all(in: bytes)
            default: throw TestFrame.Malformed(reason: "the connection was reset")
            }
        }
        return []
    }
}

/// Two ends of a TCP connection on one loop, not started yet.
///
/// - Note: `@unchecked Sendable` because its sockets are used on their loop only.
struct SocketPair: @unchecked Sendable {
    let near: StreamSocket
    let far: StreamSocket

    /// Makes the pair; call it on the loop.
    init(on loop: EventLoop) async throws {
        let (accepted, note) = AsyncStream<Int32>.makeStream()
        let listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) { descriptor, _ in
            note.yield(descriptor)
        }
        listener.start()
        far = try await StreamSocket.connect(to: listener.address, timeout: .seconds(60), on: loop)
        var arrivals = accepted.makeAsyncIterator()
        near = StreamSocket(descriptor: await arrivals.next()!, peer: listener.address, on: loop)
        listener.stop()
    }
}

extension WebSocketOptions {
    /// With a time for closing that a machine which stands still does not reach. The bytes that have not left by then are lost.
    static var patient: WebSocketOptions {
        var options = WebSocketOptions()
        options.closeTimeout = .seconds(600)
        return options
    }
}

/// Runs a test on a loop of its own.
func onLoop(_ body: @escaping @Sendable (EventLoop) async throws -> Void) async throws {
    let group = EventLoopGroup(count: 1)
    let loop = group.loops[0]
    defer { group.stop() }
    try await loop.run { try await body(loop) }
}
