public import EventLoop

/// One listener of a channel, told on its own loop of each message and of when it can hear.
///
/// - Note: `@unchecked Sendable` because all that changes is touched on `loop` alone: `cancel` and `confirmed` assert
///   it, and the subscriber delivers there.
public final class RedisSubscription: @unchecked Sendable {
    /// What a listener is told, in order.
    public enum Event: Sendable, Equatable {
        /// The server has confirmed: every message published from now on comes.
        case confirmed
        /// A message, in the order in which the server took it.
        case message([UInt8])
        /// The connection is gone: nothing comes until `gap`.
        case lost
        /// The server has confirmed again: messages come, but some since `lost` may never.
        case gap
    }

    /// The channel's name.
    public let channel: String
    /// Where the handler is called.
    public let loop: EventLoop
    /// Whether every message is heard at present.
    public private(set) var isLive = false

    let name: [UInt8]
    private let subscriber: RedisSubscriber
    private var handler: ((Event) -> Void)?
    private var waits: [RedisWait] = []

    init(to channel: String, of subscriber: RedisSubscriber, on loop: EventLoop, handler: @escaping (Event) -> Void) {
        self.channel = channel
        name = Array(channel.utf8)
        self.subscriber = subscriber
        self.loop = loop
        self.handler = handler
    }

    /// Ends the subscription: the handler is not called again. The last listener's end unsubscribes at the server.
    public func cancel() {
        loop.preconditionInLoop()
        guard handler != nil else { return }
        handler = nil
        isLive = false
        endWaits(.failure(.closed))
        subscriber.remove(self)
    }

    /// Returns when every message published from now on comes, at once while that is so.
    ///
    /// - Throws: `timedOut` when the server has not confirmed within `limit`; the subscription
    ///   stays and goes on to try.
    public func confirmed(within limit: Duration) async throws(RedisError) {
        let outcome = await withUnsafeContinuation { (continuation: RedisWait.Continuation) in
            // Looked at here and not before: events may come between the call and the suspension.
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
