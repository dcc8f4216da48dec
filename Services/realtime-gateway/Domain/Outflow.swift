import EngineIO
import EventLoop
import Wire

/// What leaves by a socket: whoever has much to send waits here until the client has taken what was sent before.
///
/// So little waits that a client that reads loses nothing, however much it has missed in however many rooms. One that takes
/// nothing for a while is cut off.
///
/// - Note: `@unchecked Sendable` because it is confined to its socket's loop.
final class Outflow: @unchecked Sendable {
    private let engine: EngineSocket
    private let patience: Duration
    private var waits: [CheckedContinuation<Void, Never>] = []
    private var watch: LoopTimer?
    private var sentBefore: UInt64 = 0

    /// Bytes that may wait before somebody sends more.
    static let mostWaiting = 256 * 1024

    /// - Parameter patience: a client that takes nothing for so long reads too slowly.
    init(_ engine: EngineSocket, patience: Duration) {
        self.engine = engine
        self.patience = patience
    }

    /// Whether more may be sent now. Healthy sockets take what waits when they are asked to.
    static func hasRoom(in engine: EngineSocket) -> Bool {
        if engine.queuedBytes <= mostWaiting { return true }
        engine.flush()
        return engine.queuedBytes <= mostWaiting
    }

    /// Returns when the client has taken so much that `isMet` holds, or the socket has ended.
    func wait(until isMet: () -> Bool) async {
        // To look may end the socket, too.
        while engine.isOpen, !isMet(), engine.isOpen {
            if watch == nil { look() }
            await withCheckedContinuation { waits.append($0) }
        }
    }

    /// The client has taken what waited for it, or will take nothing more.
    func drained() {
        watch?.cancel()
        watch = nil
        let ended = waits
        waits = []
        for wait in ended { wait.resume() }
    }

    private func look() {
        sentBefore = engine.sentBytes
        watch = engine.loop.schedule(after: patience) { [weak self] in self?.lookAgain() }
    }

    private func lookAgain() {
        if engine.sentBytes == sentBefore && engine.queuedBytes > 0 { return engine.cutOff() }
        look()
    }
}
