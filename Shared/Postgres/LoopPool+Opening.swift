internal import CPostgres
internal import EventLoop
internal import Wire

extension LoopPool {
    /// Whether the limit allows another connection.
    var canOpen: Bool { connections.count + attempts.count < configuration.connectionsPerLoop }

    /// Opens the connections that are needed and allowed.
    func openIfWanted() {
        // While the server refuses connections, one attempt at a time is enough to notice its return.
        let limit = lastFailure == nil ? wanted : min(1, wanted)
        while attempts.count < limit, canOpen, pause == nil, !isClosed { open() }
    }

    private func open() {
        let attempt = ConnectionAttempt(
            configuration, hosts.search(within: configuration.connectTimeout), on: loop, blocking: blocking)
        attempts.append(attempt)
        attempt.start { [unowned self] result, search in
            attempts.removeAll { $0 === attempt }
            hosts.learn(from: search)
            switch result {
            case .success(let session): opened(session)
            case .failure(let error): failedToOpen(error)
            }
        }
    }

    private func opened(_ session: ConnectionAttempt.Session) {
        guard let connection = PostgresConnection(session, configuration, on: loop, owner: self) else {
            PQfinish(session.raw)
            return failedToOpen(PostgresError(.unavailable, message: "out of descriptors"))
        }
        if isClosed { return connection.close() }
        backoff.reset()
        lastFailure = nil
        hosts.opened(session.host)
        connections.append(connection)
        watchForSilence()
        serve()
    }

    private func failedToOpen(_ error: PostgresError) {
        lastFailure = error
        guard !isClosed else { return }
        // Attempts that fail together share a pause. A second timer would end the pause of a later failure, and nobody would
        // cancel it when the pool closes.
        if pause == nil {
            pause = loop.schedule(after: backoff.next()) { [unowned self] in
                pause = nil
                openForWaiting()
            }
        }
        serve()
    }
}

extension LoopPool: ConnectionOwner {
    func hasRoom(_ connection: PostgresConnection) {
        if !requests.isEmpty || !leases.isEmpty { serve() }
    }

    var needsWritable: Bool { settings?.needsWritable ?? true }

    var mayCancelWrites: Bool { hosts.count == 1 }

    func takeBack(_ request: Request) { submit(request) }

    func mayCloseIdle(_ connection: PostgresConnection) -> Bool { connections.count > 1 }

    func closed(_ connection: PostgresConnection) {
        connections.removeAll { $0 === connection }
        openForWaiting()
    }
}
