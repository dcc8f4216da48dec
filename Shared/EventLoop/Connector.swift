internal import CSystem
internal import Glibc

extension StreamSocket {
    /// Connects to a numeric or Unix address; call on `loop`, then `start` the socket.
    ///
    /// - Throws: `SocketError`, with ETIMEDOUT after `timeout`, or with ECANCELED when the task is cancelled or the
    ///   loop ends.
    public static func connect(
        to address: SocketAddress, timeout: Duration, on loop: EventLoop
    ) async throws(SocketError) -> StreamSocket {
        loop.preconditionInLoop()
        let descriptor = withUnsafePointer(to: address.raw) { cs_connect($0) }
        guard descriptor >= 0 else { throw SocketError(operation: "connect \(address)") }
        let attempt = ConnectAttempt(descriptor: descriptor, on: loop)
        let failure = await attempt.finish(within: timeout)
        guard failure == 0 else {
            Glibc.close(descriptor)
            throw SocketError(operation: "connect \(address)", code: failure)
        }
        return StreamSocket(descriptor: descriptor, peer: address, on: loop)
    }
}

/// Waits until a connecting socket is writable.
private final class ConnectAttempt: Channel, @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: UnsafeContinuation<Int32, Never>?
    private var timer: LoopTimer?

    init(descriptor: Int32, on loop: EventLoop) {
        self.loop = loop
        super.init(descriptor: descriptor)
    }

    /// Returns errno, or 0 once connected.
    func finish(within timeout: Duration) async -> Int32 {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                self.continuation = continuation
                loop.register(self, for: .writable)
                timer = loop.schedule(after: timeout) { [unowned self] in end(ETIMEDOUT) }
            }
        } onCancel: {
            loop.execute { self.end(ECANCELED) }
        }
    }

    override func ready(_ events: IOEvents) { end(cs_socket_error(descriptor)) }

    override func loopEnded() { end(ECANCELED) }

    private func end(_ code: Int32) {
        guard let continuation else { return }
        self.continuation = nil
        timer?.cancel()
        loop.deregister(self)
        continuation.resume(returning: code)
    }
}
