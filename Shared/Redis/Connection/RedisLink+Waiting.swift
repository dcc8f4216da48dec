extension RedisLink {
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
