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
    /// From the call to the result, in nanoseconds.
    let budget: UInt64
    /// Sent ahead of the work in the same breath: the BEGIN of a transaction.
    var prefix: [Step] = []
    /// On a connection of its own, within more than itself.
    var isInTransaction = false
    /// The COMMIT; nothing may follow it.
    var endsTransaction = false
    /// It shared a sync with one that failed, and now goes by itself.
    var isAlone = false
    /// Told when the server has dealt with it or the connection is gone, whether or not the caller still waits.
    var finished: ((PostgresError?) -> Void)?
    /// It was under way when a neighbour was cancelled, and the server may have hit it instead.
    var mayBeHitByCancel = false

    /// Monotonic nanoseconds.
    private(set) var deadline: UInt64 = .max
    private(set) var error: PostgresError?
    /// How often a cancellation meant for a neighbour, or a plan gone stale, made it start again.
    private(set) var restarts = 0
    private var startedAt: UInt64 = 0
    private var continuation: UnsafeContinuation<Outcome, Never>?
    private var isCancelledEarly = false
    private var firstResult: PostgresResult?
    private var furtherResults: [PostgresResult] = []

    init(_ work: Work, budget: UInt64) {
        self.work = work
        self.budget = budget
    }

    var steps: [Step] {
        switch work {
        case .one(let step): prefix + [step]
        case .batch(let steps): prefix + steps
        }
    }

    /// The only step, of most requests.
    var onlyStep: Step? {
        if case .one(let step) = work, prefix.isEmpty { step } else { nil }
    }

    /// Whether it may share a sync with others.
    var mayShareSync: Bool {
        guard case .one(let step) = work else { return false }
        return step.statement.mayShareSync && !isInTransaction && !isAlone
    }

    // MARK: The caller

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
        deadline = now &+ budget
        return true
    }

    /// Notes that the caller's task was cancelled; true where the caller waits for an answer.
    func cancel() -> Bool {
        isCancelledEarly = true
        return !isAnswered
    }

    /// Resumes the caller, once.
    func answer(_ outcome: Outcome, now: UInt64, report: (@Sendable (StatementReport) -> Void)?) {
        guard let continuation else { return }
        self.continuation = nil
        report?(StatementReport(self, outcome, took: .nanoseconds(Int64(now - startedAt))))
        continuation.resume(returning: outcome)
    }

    // MARK: What comes back

    /// Whether not even the first step has brought a result.
    var hasDoneNothing: Bool { firstResult == nil }

    func received(_ result: PostgresResult) {
        if firstResult == nil { firstResult = result } else { furtherResults.append(result) }
    }

    /// The first failure counts: what follows it in the pipeline is only skipped.
    func failed(_ error: PostgresError) {
        guard self.error == nil else { return }
        self.error = error
        self.error?.statement = failedStep.statement.name
    }

    func replaceError(_ error: PostgresError) {
        self.error = nil
        failed(error)
    }

    /// The step that brought the error: the one after those that brought results.
    var failedStep: Step {
        let steps = self.steps
        let results = firstResult == nil ? 0 : 1 + furtherResults.count
        return steps[min(results, steps.count - 1)]
    }

    /// Forgets what came back, to be sent once more.
    func restart(countingAs count: Int = 1) {
        restarts += count
        mayBeHitByCancel = false
        error = nil
        firstResult = nil
        furtherResults = []
    }

    /// What the results make; call when all have come.
    var outcome: Outcome {
        if let error { return .failed(error) }
        switch work {
        case .one:
            guard furtherResults.count == prefix.count, let result = furtherResults.last ?? firstResult else { break }
            return .rows(Rows(result: result))
        case .batch(let steps):
            guard let firstResult, furtherResults.count + 1 == prefix.count + steps.count else { break }
            let results = [firstResult] + furtherResults
            return .batch(results.dropFirst(prefix.count).map(Rows.init(result:)))
        }
        return .failed(PostgresError(.connectionLost, message: "results are missing"))
    }
}
