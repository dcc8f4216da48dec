internal import EventLoop

/// A part of the client with a state that callers wait for; confined to its loop.
protocol RedisStateSource: AnyObject {
    var loop: EventLoop { get }
    var state: RedisState { get }

    /// Calls `observer` at once and on each change, on the loop, until it is done.
    func observe(_ observer: @escaping RedisLink.Observer)

    /// The time since the server of a key came back, or took another one's place; nil if neither has happened.
    func timeSinceReturn(of key: RedisKey) -> Duration?

    /// Calls `observer` on the loop after each return of a server.
    func observeReturns(_ observer: @escaping () -> Void)
}

extension RedisStateSource {
    /// Returns as soon as the connection is up.
    ///
    /// - Throws: after `limit`, the reason why it is not.
    func connected(within limit: Duration) async throws(RedisError) {
        if state.isConnected { return }
        let outcome = await withUnsafeContinuation { continuation in
            let wait = RedisWait(on: loop, within: limit, continuation) { [unowned self] in
                if case .lost(let reason) = state { reason } else { .timedOut }
            }
            observe { state in
                switch state {
                case .connected: wait.end(.success(()))
                case .closed: wait.end(.failure(.closed))
                case .connecting, .lost: break
                }
                return wait.isOver ? .remove : .keep
            }
        }
        try outcome.get()
    }
}
