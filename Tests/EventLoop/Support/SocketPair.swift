import EventLoop
import Glibc

/// The two ends of a TCP connection on one loop, not started yet.
///
/// - Note: `@unchecked Sendable` because its sockets are used on their loop only.
struct SocketPair: @unchecked Sendable {
    let near: StreamSocket
    let far: StreamSocket

    /// Call on the loop.
    init(on loop: EventLoop) async throws {
        let (accepted, note) = AsyncStream<Int32>.makeStream()
        let listener = try Listener(on: loop, address: SocketAddress(ip: "127.0.0.1", port: 0)!) { descriptor, _ in
            note.yield(descriptor)
        }
        listener.start()
        far = try await StreamSocket.connect(to: listener.address, timeout: .seconds(60), on: loop)
        var iterator = accepted.makeAsyncIterator()
        near = StreamSocket(descriptor: await iterator.next()!, peer: listener.address, on: loop)
        listener.stop()
    }
}

/// Records the calls of a socket, and consumes as many bytes as `consume` says.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
final class RecordingHandler: StreamHandler, @unchecked Sendable {
    /// Returns how many of the offered bytes are consumed.
    var consume: (Int) -> Int = { $0 }
    /// Called with the bytes that were consumed.
    var onBytes: ([UInt8]) -> Void = { _ in }
    private(set) var received: [UInt8] = []
    private(set) var offers = 0
    private(set) var ends = 0
    private(set) var congestions = 0
    private(set) var drains = 0
    private(set) var ending: StreamSocket.End?
    private var waiting: [(isMet: (RecordingHandler) -> Bool, UnsafeContinuation<Void, Never>)] = []

    /// Suspends until `condition` holds; it is checked after every call of the socket.
    func until(_ condition: @escaping (RecordingHandler) -> Bool) async {
        guard !condition(self) else { return }
        await withUnsafeContinuation { waiting.append((condition, $0)) }
    }

    func received(_ bytes: RawSpan) -> Int {
        offers += 1
        let count = consume(bytes.byteCount)
        let part = bytes.withUnsafeBytes { Array($0[..<count]) }
        received += part
        onBytes(part)
        tell()
        return count
    }

    func endOfInput() {
        ends += 1
        tell()
    }

    func congested() {
        congestions += 1
        tell()
    }

    func drained() {
        drains += 1
        tell()
    }

    func closed(_ end: StreamSocket.End) {
        ending = end
        tell()
    }

    private func tell() {
        let met = waiting.filter { $0.isMet(self) }
        waiting.removeAll { $0.isMet(self) }
        for (_, continuation) in met { continuation.resume() }
    }
}
