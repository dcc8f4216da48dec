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
    let blocking: BlockingPool

    var connections: [PostgresConnection] = []
    var attempts: [ConnectionAttempt] = []
    var backoff: Backoff
    /// Until the next attempt, after one has failed.
    var pause: LoopTimer?
    var lastFailure: PostgresError?
    var requests = WaitingList<Request>()
    var leases = WaitingList<LeaseRequest>()
    private(set) var isClosed = false

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
        } else if isFull {
            answer(request, .failed(lastFailure ?? .tooManyWait))
        } else {
            let patience = timer(for: .nanoseconds(Int64(clamping: request.budget))) { [unowned self] in
                requests.remove(request)
                answer(request, .failed(waitedTooLong))
            }
            requests.append(request, patience)
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
        } else if isFull {
            lease.answer(.failure(lastFailure ?? .tooManyWait))
        } else {
            let patience = timer(for: lease.budget) { [unowned self] in
                leases.remove(lease)
                lease.answer(.failure(waitedTooLong))
            }
            leases.append(lease, patience)
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

    private func hand(_ connection: PostgresConnection, to lease: LeaseRequest) {
        connection.isLeased = true
        lease.answer(.success(connection))
    }

    private var leasable: PostgresConnection? {
        guard connections.count(where: \.isLeased) < max(1, configuration.connectionsPerLoop - 1) else { return nil }
        let free = leastBusy
        if let free, free.depth > 0, canOpen { return nil }
        return free
    }

    // MARK: Waiting

    private var isFull: Bool { requests.count + leases.count >= configuration.waitLimit }

    private func timer(for budget: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        loop.schedule(after: min(budget, configuration.waitTimeout), action)
    }

    private var waitedTooLong: PostgresError { lastFailure ?? (connections.isEmpty ? .notConnected : .waitedTooLong) }

    /// Gives those who wait what has come free.
    func serve() {
        while !leases.isEmpty, let connection = leasable, let lease = leases.popFirst() {
            hand(connection, to: lease)
        }
        while !requests.isEmpty, let connection = leastBusy, let request = requests.popFirst() {
            connection.send(request)
        }
        openIfAnyoneWaits()
    }

    func openIfAnyoneWaits() {
        if !leases.isEmpty || !requests.isEmpty { openIfWanted() }
    }

    /// How many more connections would be of use.
    var wanted: Int { leases.count + (leastBusy.map { $0.depth >= configuration.busyDepth } ?? true ? 1 : 0) }

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
