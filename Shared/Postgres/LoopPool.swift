internal import EventLoop
internal import Wire

/// The connections of one loop, and the callers that wait for them.
///
/// A connection serves many requests at once; a transaction leases one and uses it alone. One connection is never leased,
/// so that single statements are never blocked by transactions.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class LoopPool: @unchecked Sendable {
    let loop: EventLoop
    let configuration: PostgresConfiguration
    let blocking: BlockingPool

    var connections: [PostgresConnection] = []
    var attempts: [ConnectionAttempt] = []
    var backoff: Backoff
    /// The pause before the next attempt, after a failure.
    var pause: LoopTimer?
    var lastFailure: PostgresError?
    var requests = WaitingList<Request>()
    var leases = WaitingList<LeaseRequest>()
    private(set) var isClosed = false
    /// Nil if the connection string is malformed, which each attempt reports.
    let settings: ConnectionString?
    var hosts: HostOrder
    /// A connection to a silent host, to tell a slow statement from a server that does not answer.
    var probe: ConnectionAttempt?
    var silenceTimer: LoopTimer?

    init(_ configuration: PostgresConfiguration, on loop: EventLoop, blocking: BlockingPool) {
        self.configuration = configuration
        self.loop = loop
        self.blocking = blocking
        settings = try? ConnectionString(configuration.connectionString)
        hosts = HostOrder(count: settings?.hosts.count ?? 1)
        backoff = hosts.count > 1 ? configuration.searchBackoff : configuration.backoff
    }

    // MARK: Requests

    /// Sends a request on the least busy connection, or queues it.
    func submit(_ request: Request) {
        if isClosed { return answer(request, .failed(.closed)) }
        if let connection = leastBusy {
            connection.send(request)
            if connection.depth >= configuration.busyDepth { openIfWanted() }
        } else if isFull {
            answer(request, .failed(lastFailure ?? .tooManyWait))
        } else {
            let timer = makeTimer(for: .nanoseconds(Int64(clamping: request.budget))) { [unowned self] in
                requests.remove(request)
                answer(request, .failed(waitedTooLong))
            }
            requests.append(request, timer)
            openIfWanted()
        }
    }

    /// Answers a request after its task was cancelled.
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

    /// Leases a connection to a transaction, or queues the transaction.
    func submit(_ lease: LeaseRequest) {
        if isClosed { return lease.answer(.failure(.closed)) }
        if let connection = leasable {
            hand(connection, to: lease)
        } else if isFull {
            lease.answer(.failure(lastFailure ?? .tooManyWait))
        } else {
            let timer = makeTimer(for: lease.budget) { [unowned self] in
                leases.remove(lease)
                lease.answer(.failure(waitedTooLong))
            }
            leases.append(lease, timer)
            openIfWanted()
        }
    }

    /// Answers a waiting transaction after its task was cancelled.
    func cancel(_ lease: LeaseRequest) {
        leases.remove(lease)
        lease.cancel()
    }

    /// Releases a leased connection after its transaction has ended.
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
        // A server that refuses another connection still serves the open ones, and under load none of them becomes idle. A server
        // that gives no answer may be frozen.
        if let free, free.depth > 0, canOpen, pause == nil || hosts.silent.contains(free.host) { return nil }
        return free
    }

    // MARK: Waiting

    private var isFull: Bool { requests.count + leases.count >= configuration.waitLimit }

    private func makeTimer(for budget: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        loop.schedule(after: min(budget, configuration.waitTimeout), action)
    }

    private var waitedTooLong: PostgresError { lastFailure ?? (connections.isEmpty ? .notConnected : .waitedTooLong) }

    /// Serves the waiting callers with free connections.
    func serve() {
        while !leases.isEmpty, let connection = leasable, let lease = leases.popFirst() {
            hand(connection, to: lease)
        }
        while !requests.isEmpty, let connection = leastBusy, let request = requests.popFirst() {
            connection.send(request)
        }
        openForWaiting()
    }

    func openForWaiting() {
        if !leases.isEmpty || !requests.isEmpty { openIfWanted() }
    }

    /// How many more connections are needed.
    var wanted: Int { leases.count + (leastBusy.map { $0.depth >= configuration.busyDepth } ?? true ? 1 : 0) }

    // MARK: Closing

    /// Closes every connection; waiting callers fail.
    func close() {
        isClosed = true
        pause?.cancel()
        silenceTimer?.cancel()
        probe?.cancel()
        for attempt in attempts { attempt.cancel() }
        for connection in connections { connection.close() }
        while let request = requests.popFirst() { answer(request, .failed(.closed)) }
        while let lease = leases.popFirst() { lease.answer(.failure(.closed)) }
    }
}
