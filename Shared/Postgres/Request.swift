/// The statements of one call, which succeed or fail together, on their way through a pool.
///
/// - Note: `@unchecked Sendable` because only the pool's loop uses the mutable state.
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
    /// The time limit from the call to the result, in nanoseconds.
    let budget: UInt64
    /// Steps that are sent before the work in the same packet: the BEGIN of a transaction.
    var prefix: [Step] = []
    /// Whether the request is part of a transaction.
    var isInTransaction = false
    /// Whether it is part of a transaction that may only read.
    var isReadOnly = false
    /// Whether it contains the COMMIT, which nothing may follow.
    var endsTransaction = false
    /// Whether it must not share a sync, because it shared one with a request that failed.
    var isAlone = false
    /// Called when the server has finished it or the connection is lost, even if the caller no longer waits.
    var finished: ((PostgresError?) -> Void)?
    /// Receives the report of a call that is traced.
    var trace: (@Sendable (StatementReport) -> Void)?
    /// Whether a cancellation of another request may have hit this one.
    var mayBeHitByCancel = false

    /// In monotonic nanoseconds.
    private(set) var deadline: UInt64 = .max
    private(set) var error: PostgresError?
    /// How often it was sent again because a cancellation of another request hit it or its plan was stale.
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

    /// The step of a request that has one step, as most have.
    var onlyStep: Step? {
        if case .one(let step) = work, prefix.isEmpty { step } else { nil }
    }

    /// Whether it may share a sync with other requests.
    var mayShareSync: Bool {
        guard case .one(let step) = work else { return false }
        return step.statement.mayShareSync && !isInTransaction && !isAlone
    }

    // MARK: The caller

    /// Whether the caller has been answered; later results are dropped.
    var isAnswered: Bool { continuation == nil }

    /// Stores the waiting caller. If its task was cancelled before, answers at once and returns false.
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

    /// Records that the caller's task was cancelled. Returns whether the caller waits for an answer.
    func cancel() -> Bool {
        isCancelledEarly = true
        return !isAnswered
    }

    /// Resumes the caller, once.
    func answer(_ outcome: Outcome, now: UInt64, report: (@Sendable (StatementReport) -> Void)?) {
        guard let continuation else { return }
        self.continuation = nil
        if report != nil || trace != nil {
            let outcome = StatementReport(self, outcome, took: .nanoseconds(Int64(now - startedAt)))
            report?(outcome)
            trace?(outcome)
        }
        continuation.resume(returning: outcome)
    }

    // MARK: Results

    /// Whether no step has returned a result yet.
    var hasDoneNothing: Bool { firstResult == nil }

    func received(_ result: PostgresResult) {
        if firstResult == nil { firstResult = result } else { furtherResults.append(result) }
    }

    /// Stores the first failure; the server skips the steps that follow.
    func failed(_ error: PostgresError) {
        guard self.error == nil else { return }
        self.error = error
        self.error?.statement = failedStep.statement.name
    }

    func replaceError(_ error: PostgresError) {
        self.error = nil
        failed(error)
    }

    /// The step that failed: the one after the steps with results.
    var failedStep: Step {
        let steps = self.steps
        let results = firstResult == nil ? 0 : 1 + furtherResults.count
        return steps[min(results, steps.count - 1)]
    }

    /// Drops the results, so that the request can be sent again.
    func restart(countingAs count: Int = 1) {
        restarts += count
        mayBeHitByCancel = false
        error = nil
        firstResult = nil
        furtherResults = []
    }

    /// The outcome; to be read when all results have arrived.
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
