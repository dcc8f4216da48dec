public import EventLoop
internal import Synchronization

/// Sends requests to other servers with libcurl: HTTP/2 if TLS negotiates it, else HTTP/1.1. The requests of a loop
/// share its connections.
///
/// Every request has a deadline and a limit for its reply. Redirects are off, certificates are verified, and only
/// `http` and `https` are allowed. A request that is not idempotent is sent at most once, even if a kept connection
/// turns out dead.
public final class HTTPClient: Sendable {
    /// The loop of each request.
    public let group: EventLoopGroup
    private let loops: LoopLocal<ClientLoop>
    private let isClosed = Atomic<Bool>(false)

    /// Makes a client for use on the loops of `group`.
    public init(on group: EventLoopGroup, configuration: Configuration = Configuration()) {
        CurlLibrary.prepare()
        self.group = group
        loops = LoopLocal(group) { ClientLoop(on: $0, configuration: configuration) }
    }

    deinit { close() }

    /// Sends `request` and collects its reply, which may have any status. Call it on a loop; cancelling the task aborts
    /// the transfer.
    public func send(_ request: Request) async throws(Failure) -> Reply {
        let loop = loops.current
        let transfer = Transfer(request)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { loop.start(transfer, $0) }
        } onCancel: {
            loop.cancel(transfer)
        }
        return try outcome.get()
    }

    /// Aborts running requests, refuses new ones, and closes all connections.
    public func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        loops.forEach { $0.close() }
    }
}
