internal import EventLoop

/// Statements that succeed or fail together, on their way through a pool: one call's worth.
///
/// - Note: `@unchecked Sendable` because all but the constants is touched by the pool's loop alone.
final class Request: @unchecked Sendable {
    struct Step: Sendable {
        let statement: Statement
        let parameters: PostgresParameters
    }

    enum Work: Sendable {
        case one(Step)
        case batch([Step])
    }

    enum Outcome: Sendable {
        case rows(Rows)
        case batch([Rows])
        case failed(PostgresError)
    }

    let work: Work
    /// Sent ahead of the work in the same breath: the BEGIN of a transaction.
    var prefix: [Step] = []
    /// Told when the server has dealt with it or the connection is gone, whether or not the caller still waits.
    var finished: ((PostgresError?) -> Void)?
    /// From the call to the result.
    let budget: Duration
    /// Monotonic nanoseconds.
    private(set) var deadline: UInt64 = .max
    /// How often a cancellation meant for a neighbour, or a plan gone stale, made it start again.
    var restarts = 0
    /// It was under way when a neighbour was cancelled, and the server may have hit it instead.
    var mayBeHitByCancel = false

    private var startedAt: UInt64 = 0
    private var continuation: UnsafeContinuation<Outcome, Never>?
    private var isCancelledEarly = false
    private var results: [PostgresResult] = []
    private(set) var error: PostgresError?

    init(_ work: Work, budget: Duration) {
        self.work = work
        self.budget = budget
    }

    /// The caller has been answered; what the server still says is dropped.
    var isAnswered: Bool { continuation == nil }

    /// Takes the waiting caller over; false where its task was cancelled before.
    func start(_ continuation: UnsafeContinuation<Outcome, Never>, now: UInt64) -> Bool {
        if isCancelledEarly {
            continuation.resume(returning: .failed(.cancelled))
            return false
        }
        self.continuation = continuation
        startedAt = now
        deadline = now &+ budget.wholeNanoseconds
        return true
    }

    /// Answers a caller whose task was cancelled; false where it has been answered before or has not started.
    func cancel() -> Bool {
        isCancelledEarly = true
        return !isAnswered
    }

    var steps: [Step] {
        switch work {
        case .one(let step): prefix + [step]
        case .batch(let steps): prefix + steps
        }
    }

    private var stepCount: Int {
        switch work {
        case .one: prefix.count + 1
        case .batch(let steps): prefix.count + steps.count
        }
    }

    /// The step that failed, while there is an error.
    private var nextStep: Step {
        let steps = self.steps
        return steps[min(results.count, steps.count - 1)]
    }

    var failedKey: PreparedStatement.Key { nextStep.preparedKey }

    // MARK: What comes back

    func received(_ result: PostgresResult) { results.append(result) }

    /// The first failure counts: what follows it in the pipeline is only skipped.
    func failed(_ error: PostgresError) {
        guard self.error == nil else { return }
        self.error = error
        self.error?.statement = nextStep.statement.name
    }

    func replaceError(_ error: PostgresError) {
        self.error = nil
        failed(error)
    }

    /// Forgets what came back, to be sent once more.
    func restart() {
        restarts += 1
        mayBeHitByCancel = false
        error = nil
        results = []
    }

    /// What the results make; call when all have come.
    var outcome: Outcome {
        if let error { return .failed(error) }
        if results.count != stepCount { return .failed(PostgresError(.connectionLost, message: "results are missing")) }
        let rows = results.suffix(from: prefix.count).map(Rows.init(result:))
        if case .one = work { return .rows(rows[0]) }
        return .batch(rows)
    }

    /// Resumes the caller, once.
    func answer(_ outcome: Outcome, now: UInt64, report: (@Sendable (StatementReport) -> Void)?) {
        guard let continuation else { return }
        self.continuation = nil
        report?(StatementReport(self, outcome, took: .nanoseconds(Int64(now - startedAt))))
        continuation.resume(returning: outcome)
    }
}

extension StatementReport {
    fileprivate init(_ request: Request, _ outcome: Request.Outcome, took duration: Duration) {
        name = request.steps.last?.statement.name ?? ""
        self.duration = duration
        switch outcome {
        case .rows(let list): (rows, error) = (list.touched, nil)
        case .batch(let lists): (rows, error) = (lists.reduce(0) { $0 + $1.touched }, nil)
        case .failed(let failure): (rows, error) = (0, failure)
        }
    }
}

extension Rows {
    fileprivate var touched: Int { Swift.max(count, affected) }
}
