internal import CPostgres
internal import EventLoop
internal import Wire

extension LoopPool {
    /// Whether another connection is allowed.
    var canOpen: Bool { connections.count + attempts.count < configuration.connectionsPerLoop }

    /// Opens as many connections as are of use and allowed.
    func openIfWanted() {
        // While the server refuses, one attempt at a time finds out when it is back.
        let most = lastFailure == nil ? wanted : min(1, wanted)
        while attempts.count < most, canOpen, pause == nil, !isClosed { open() }
    }

    private func open() {
        let attempt = ConnectionAttempt(configuration, on: loop, blocking: blocking)
        attempts.append(attempt)
        attempt.start { [unowned self] result in
            attempts.removeAll { $0 === attempt }
            switch result {
            case .success(let raw): opened(raw)
            case .failure(let error): failedToOpen(error)
            }
        }
    }

    private func opened(_ raw: OpaquePointer) {
        guard let connection = PostgresConnection(raw, configuration, on: loop, blocking: blocking, owner: self) else {
            PQfinish(raw)
            return failedToOpen(PostgresError(.unavailable, message: "out of descriptors"))
        }
        if isClosed { return connection.close() }
        backoff.reset()
        lastFailure = nil
        connections.append(connection)
        serve()
    }

    private func failedToOpen(_ error: PostgresError) {
        lastFailure = error
        guard !isClosed else { return }
        pause = loop.schedule(after: backoff.next()) { [unowned self] in
            pause = nil
            openIfAnyoneWaits()
        }
    }
}

extension LoopPool: ConnectionOwner {
    func hasRoom(_ connection: PostgresConnection) {
        if !requests.isEmpty || !leases.isEmpty { serve() }
    }

    func takeBack(_ request: Request) { submit(request) }

    func mayCloseIdle(_ connection: PostgresConnection) -> Bool { connections.count > 1 }

    func closed(_ connection: PostgresConnection) {
        connections.removeAll { $0 === connection }
        openIfAnyoneWaits()
    }
}
