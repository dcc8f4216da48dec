internal import EventLoop
internal import Wire

/// The connections of one loop, and who waits for them.
///
/// Any connection serves many requests at once; a transaction leases one for itself. All but one may be leased, so that
/// single statements always find their way.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class LoopPool: @unchecked Sendable {
    let loop: EventLoop
    let configuration: PostgresConfiguration
    private let blocking: BlockingPool

    private var connections: [PostgresConnection] = []
    private var attempts: [ConnectionAttempt] = []
    private var backoff: Backoff
    private var pause: LoopTimer?
    private var lastFailure: PostgresError?
    private var requests = WaitingList<Request>()
    private var leases = WaitingList<LeaseRequest>()
    private var isClosed = false

    init(_ configuration: PostgresConfiguration, on loop: EventLoop, blocking: BlockingPool) {
        self.configuration = configuration
        self.loop = loop
        self.blocking = blocking
        backoff = configuration.backoff
    }

    // MARK: Requests

    /// Sends a request on the least busy connection, or lets it wait for one.
    func submit(_ request: Request) {
        if isClosed { return answer(request, .failed(.closed)) }
        if let connection = leastBusy {
            connection.send(request)
            if connection.depth >= configuration.busyDepth { openIfWanted() }
        } else if requests.count + leases.count >= configuration.waitLimit {
            answer(request, .failed(lastFailure ?? .tooManyWait))
        } else {
            requests.append(
                request, timer(for: .nanoseconds(Int64(request.budget))) { [unowned self] in giveUp(request) })
            openIfWanted()
        }
    }

    /// Answers a request whose task was cancelled.
    func cancel(_ request: Request) {
        guard request.cancel() else { return }
        answer(request, .failed(.cancelled))
        requests.remove(request)
        for connection in connections { connection.checkDeadlines() }
    }

    private func giveUp(_ request: Request) {
        requests.remove(request)
        answer(request, .failed(waitedTooLong))
    }

    func answer(_ request: Request, _ outcome: Request.Outcome) {
        request.answer(outcome, now: loop.now, report: configuration.onStatement)
    }

    private var leastBusy: PostgresConnection? {
        var best: PostgresConnection?
        for connection in connections where !connection.isLeased && !connection.isCancelling {
            if connection.depth < best?.depth ?? configuration.pipelineDepth { best = connection }
        }
        return best
    }

    // MARK: Leases

    /// Finds a connection for a transaction, or lets it wait for one.
    func submit(_ lease: LeaseRequest) {
        if isClosed { return lease.answer(.failure(.closed)) }
        if let connection = leasable {
            hand(connection, to: lease)
        } else if requests.count + leases.count >= configuration.waitLimit {
            lease.answer(.failure(lastFailure ?? .tooManyWait))
        } else {
            leases.append(
                lease,
                timer(for: lease.budget) { [unowned self] in
                    leases.remove(lease)
                    lease.answer(.failure(waitedTooLong))
                })
            openIfWanted()
        }
    }

    /// Answers a transaction that waits and whose task was cancelled.
    func cancel(_ lease: LeaseRequest) {
        leases.remove(lease)
        lease.cancel()
    }

    /// Takes back a leased connection, with no transaction open on it.
    func release(_ connection: PostgresConnection) {
        connection.isLeased = false
        if !connection.isClosed { serve() }
    }

    private var mostLeases: Int { max(1, configuration.connectionsPerLoop - 1) }

    private var leasable: PostgresConnection? {
        guard connections.count(where: \.isLeased) < mostLeases else { return nil }
        let free = leastBusy
        if let free, free.depth > 0, canOpen { return nil }
        return free
    }

    private func hand(_ connection: PostgresConnection, to lease: LeaseRequest) {
        connection.isLeased = true
        lease.answer(.success(connection))
    }

    // MARK: Waiting

    private func timer(for budget: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        loop.schedule(after: min(budget, configuration.waitTimeout), action)
    }

    private var waitedTooLong: PostgresError { lastFailure ?? (connections.isEmpty ? .notConnected : .waitedTooLong) }

    private func serve() {
        while !leases.isEmpty, let connection = leasable, let lease = leases.popFirst() {
            hand(connection, to: lease)
        }
        while !requests.isEmpty, let connection = leastBusy, let request = requests.popFirst() {
            connection.send(request)
        }
        if !leases.isEmpty || !requests.isEmpty { openIfWanted() }
    }

    // MARK: Opening

    private var canOpen: Bool { connections.count + attempts.count < configuration.connectionsPerLoop }

    private func openIfWanted() {
        let wanted = leases.count + (leastBusy.map { $0.depth >= configuration.busyDepth } ?? true ? 1 : 0)
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
            case .success(let raw):
                opened(PostgresConnection(raw, configuration, on: loop, blocking: blocking, owner: self))
            case .failure(let error): failedToOpen(error)
            }
        }
    }

    private func opened(_ connection: PostgresConnection) {
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
            if !leases.isEmpty || !requests.isEmpty { openIfWanted() }
        }
    }

    // MARK: Closing

    /// Closes every connection; whoever waits is told.
    func close() {
        isClosed = true
        pause?.cancel()
        for attempt in attempts { attempt.cancel() }
        for connection in connections { connection.close() }
        while let request = requests.popFirst() { answer(request, .failed(.closed)) }
        while let lease = leases.popFirst() { lease.answer(.failure(.closed)) }
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
        if !requests.isEmpty || !leases.isEmpty { openIfWanted() }
    }
}
