internal import CPostgres
internal import EventLoop

/// One session with the server: statements go out in a pipeline, each call with a sync of its own, so that the failure
/// of one never touches another; results come back in the same order.
///
/// A caller is answered only at its sync, because the commit happens there. Output gathers in libpq and is flushed
/// once a turn of the loop.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class PostgresConnection: @unchecked Sendable {
    /// What has been sent and not been answered yet.
    enum InFlight {
        case prepare(PreparedStatement)
        case request(Request)
    }

    unowned let loop: EventLoop
    let configuration: PostgresConfiguration
    let blocking: BlockingPool
    weak var owner: (any ConnectionOwner)?

    let raw: OpaquePointer
    var inFlight = FIFO<InFlight>()
    var prepared: [PreparedStatement.Key: PreparedStatement] = [:]
    var preparedCount = 0
    var prepareFailures: [PreparedStatement.Key: PostgresError] = [:]
    var script: ScriptRun?
    private(set) var isClosed = false
    /// A transaction has it for itself.
    var isLeased = false
    /// A cancellation is on its way to the server; what is sent now might be hit.
    var isCancelling = false
    /// Since when the server works on a statement that nobody waits for.
    var abandonedSince: UInt64?
    var isHeadCancelled = false

    private var watch: DescriptorWatch?
    private var isFlushScheduled = false
    private var isWaitingForRoom = false
    private var deadlineTimer: LoopTimer?
    private var armedDeadline = UInt64.max
    private var idleTimer: LoopTimer?

    /// Takes over an established session in pipeline mode.
    init(
        _ raw: OpaquePointer, _ configuration: PostgresConfiguration, on loop: EventLoop, blocking: BlockingPool,
        owner: any ConnectionOwner
    ) {
        self.raw = raw
        self.configuration = configuration
        self.loop = loop
        self.blocking = blocking
        self.owner = owner
        let watch = DescriptorWatch(PQsocket(raw)) { [unowned self] in ready($0) }
        self.watch = watch
        loop.register(watch, for: .readable)
        restartIdleTimer()
    }

    /// How much is under way.
    var depth: Int { inFlight.count }

    // MARK: Flushing and deadlines

    func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.atEndOfTick { [self] in
            isFlushScheduled = false
            flush()
        }
    }

    private func flush() {
        guard !isClosed else { return }
        let result = PQflush(raw)
        guard result >= 0 else { return close(lost()) }
        let mustWait = result == 1
        guard mustWait != isWaitingForRoom, let watch else { return }
        isWaitingForRoom = mustWait
        loop.modify(watch, for: mustWait ? [.readable, .writable] : .readable)
    }

    func arm(for deadline: UInt64) {
        guard deadline < armedDeadline else { return }
        armedDeadline = deadline
        let delay = Duration.nanoseconds(Int64(deadline > loop.now ? deadline - loop.now : 0))
        if let deadlineTimer { return deadlineTimer.restart(after: delay) }
        deadlineTimer = loop.schedule(after: delay) { [unowned self] in
            armedDeadline = .max
            checkDeadlines()
        }
    }

    func restartIdleTimer() {
        if let idleTimer { return idleTimer.restart(after: configuration.idleTimeout) }
        idleTimer = loop.schedule(after: configuration.idleTimeout) { [unowned self] in
            if depth == 0, !isLeased, owner?.mayCloseIdle(self) == true { close() } else { restartIdleTimer() }
        }
    }

    // MARK: Reading

    private func ready(_ events: IOEvents) {
        if events.contains(.writable) { flush() }
        guard !isClosed else { return }
        let isAlive = PQconsumeInput(raw) == 1
        receiveResults()
        if !isAlive { close(lost()) }
    }

    private func lost() -> PostgresError {
        let message = String(cString: PQerrorMessage(raw)).split(separator: "\n").joined(separator: "; ")
        return PostgresError(.connectionLost, message: message)
    }

    // MARK: Ending

    /// Ends the session; what is under way fails with `reason`.
    func close(_ reason: PostgresError = PostgresError(.closed, message: "")) {
        guard !isClosed else { return }
        isClosed = true
        deadlineTimer?.cancel()
        idleTimer?.cancel()
        if let watch { loop.deregister(watch) }
        watch = nil
        PQfinish(raw)
        var unanswered = inFlight
        inFlight = FIFO()
        script?.finish(.failure(reason))
        script = nil
        while let entry = unanswered.popFirst() {
            guard case .request(let request) = entry else { continue }
            settle(request, .failed(reason))
        }
        owner?.closed(self, reason)
    }

    func answer(_ request: Request, _ outcome: Request.Outcome) {
        request.answer(outcome, now: loop.now, report: configuration.onStatement)
    }

    /// Answers for good: the server has nothing more to say.
    func settle(_ request: Request, _ outcome: Request.Outcome) {
        answer(request, outcome)
        guard let finished = request.finished else { return }
        request.finished = nil
        if case .failed(let error) = outcome { finished(error) } else { finished(nil) }
    }
}

/// Who made a connection and is told of its fate.
protocol ConnectionOwner: AnyObject {
    /// Something was answered: there is room for more.
    func hasRoom(_ connection: PostgresConnection)
    /// Takes back a request that failed through no fault of its own and has taken no effect.
    func takeBack(_ request: Request)
    func mayCloseIdle(_ connection: PostgresConnection) -> Bool
    func closed(_ connection: PostgresConnection, _ reason: PostgresError)
}
