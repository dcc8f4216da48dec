public import EventLoop
internal import Synchronization

/// Sends requests to other servers with libcurl: HTTP/2 where TLS negotiates it, else HTTP/1.1;
/// connections are kept and shared by all requests of a loop.
///
/// Every request has a deadline and a limit on its reply; redirects are off, certificates are verified,
/// and only `http` and `https` are spoken. A request that is not idempotent goes out at most once, even
/// when a kept connection turns out dead.
public final class HTTPClient: Sendable {
    /// Where it sends from.
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

    /// Sends `request` and collects its reply, whatever its status. To be called on a loop;
    /// cancelling the task aborts the transfer.
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

    /// Aborts what is under way, refuses what comes, and closes all connections.
    public func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        loops.forEach { $0.close() }
    }
}
