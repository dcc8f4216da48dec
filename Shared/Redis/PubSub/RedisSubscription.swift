public import EventLoop

/// One listener of a channel. Its handler gets messages and changes of the connection, on the listener's loop.
///
/// - Note: `@unchecked Sendable` because all mutable state is touched only on `loop`: `cancel` and `confirmed` check
///   that, and the subscriber delivers there.
public final class RedisSubscription: @unchecked Sendable {
    /// The events of a listener, in order.
    public enum Event: Sendable, Equatable {
        /// The server has confirmed: every message published from now on arrives.
        case confirmed
        /// A message, in the server's order.
        case message([UInt8])
        /// The connection was lost, or the channel's slot has moved: nothing arrives until `gap`.
        case lost
        /// The server has confirmed again: messages arrive, but some since `lost` may be missing.
        case gap
    }

    /// The channel's name.
    public let channel: String
    /// The loop on which the handler is called.
    public let loop: EventLoop
    /// Whether every message arrives at present.
    public private(set) var isLive = false

    let name: [UInt8]
    let isSharded: Bool
    private let subscriber: RedisSubscriber
    private var handler: ((Event) -> Void)?
    private var waits: [RedisWait] = []

    init(
        to channel: String, isSharded: Bool, of subscriber: RedisSubscriber, on loop: EventLoop,
        handler: @escaping (Event) -> Void
    ) {
        self.channel = channel
        self.isSharded = isSharded
        name = Array(channel.utf8)
        self.subscriber = subscriber
        self.loop = loop
        self.handler = handler
    }

    /// Ends the subscription: the handler is not called again. The last listener of a channel unsubscribes at the
    /// server.
    public func cancel() {
        loop.preconditionInLoop()
        guard handler != nil else { return }
        handler = nil
        isLive = false
        endWaits(.failure(.closed))
        subscriber.remove(self)
    }

    /// Returns once the server has confirmed; at once while the subscription is live.
    ///
    /// - Throws: `timedOut` if the server has not confirmed within `limit`; the subscription stays and is retried.
    public func confirmed(within limit: Duration) async throws(RedisError) {
        let outcome = await withUnsafeContinuation { (continuation: RedisWait.Continuation) in
            // Checked here and not before, because events may arrive between the call and the suspension.
            loop.preconditionInLoop()
            if isLive { return continuation.resume(returning: .success(())) }
            guard handler != nil else { return continuation.resume(returning: .failure(.closed)) }
            waits.append(RedisWait(on: loop, within: limit, continuation) { .timedOut })
        }
        try outcome.get()
    }

    func deliver(_ event: Event) {
        guard let handler else { return }
        switch event {
        case .confirmed, .gap:
            isLive = true
            endWaits(.success(()))
        case .lost: isLive = false
        case .message: break
        }
        handler(event)
    }

    private func endWaits(_ outcome: Result<Void, RedisError>) {
        let ended = waits
        waits = []
        for wait in ended { wait.end(outcome) }
    }
}
