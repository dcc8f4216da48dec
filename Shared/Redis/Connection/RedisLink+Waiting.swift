extension RedisLink {
    /// Returns as soon as there is a connection.
    ///
    /// - Throws: after `limit`, why there is none.
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
                return wait.isOver ? .done : .goOn
            }
        }
        try outcome.get()
    }
}
