import EngineIO
import EventLoop
import ServiceKit
import Wire

/// Makes senders wait until a socket has drained.
///
/// So little waits in a socket that a client that reads loses nothing, however much it has missed in however many rooms. A
/// client that takes nothing for a while is cut off.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
final class SocketBackpressure: @unchecked Sendable {
    private let engine: EngineSocket
    private let timeout: Duration
    private var waits: [CheckedContinuation<Void, Never>] = []
    private var watch: LoopTimer?
    private var sentBefore: UInt64 = 0
    /// Reads of missed changes for the rooms of the socket. Each reply waits in memory until the socket has room for it.
    private(set) lazy var changeReads = ConcurrencyLimiter(4)
    /// Reads of history for the client. Their replies wait in the same way.
    private(set) lazy var historyReads = ConcurrencyLimiter(4)

    /// Bytes that may wait before more is sent.
    static let mostWaiting = 256 * 1024

    /// - Parameter timeout: a client that takes nothing for so long is cut off.
    init(_ engine: EngineSocket, timeout: Duration) {
        self.engine = engine
        self.timeout = timeout
    }

    /// Whether more may be sent now. Healthy sockets drain when they are flushed.
    @inline(__always)
    static func hasRoom(in engine: EngineSocket) -> Bool {
        if engine.queuedBytes <= mostWaiting { return true }
        engine.flush()
        return engine.queuedBytes <= mostWaiting
    }

    /// Returns when the client has taken so much that `isMet` holds, or the socket has ended.
    func wait(until isMet: () -> Bool) async {
        // The check may end the socket, too.
        while engine.isOpen, !isMet(), engine.isOpen {
            if watch == nil { startWatch() }
            await withCheckedContinuation { waits.append($0) }
        }
    }

    /// The socket has drained, or ended.
    func drained() {
        watch?.cancel()
        watch = nil
        let ended = waits
        waits = []
        for wait in ended { wait.resume() }
    }

    private func startWatch() {
        sentBefore = engine.sentBytes
        watch = engine.loop.schedule(after: timeout) { [weak self] in self?.checkProgress() }
    }

    private func checkProgress() {
        if engine.sentBytes == sentBefore && engine.queuedBytes > 0 { return engine.cutOff() }
        startWatch()
    }
}
