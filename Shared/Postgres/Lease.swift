internal import EventLoop
internal import Wire

/// A connection that one transaction uses alone, with the state of the transaction.
///
/// - Note: `@unchecked Sendable` because the mutable state is touched on the pool's loop alone.
final class Lease: @unchecked Sendable {
    private enum State {
        /// Nothing was sent.
        case fresh
        case open
        /// The BEGIN failed: a statement would take effect without a transaction.
        case unbegun
        /// The COMMIT or ROLLBACK was sent.
        case ended
    }

    private let pool: LoopPool
    private let connection: PostgresConnection
    private let isolation: Isolation
    private let deadline: Duration
    private let budget: UInt64
    private var state = State.fresh
    /// The server confirmed the COMMIT.
    private var isDurable = false

    private static let commit = Statement.write("commit", "commit")
    private static let rollback = Statement.write("rollback", "rollback")
    private static let raiseTimeout = Statement.write(
        "raise statement timeout", "select set_config('statement_timeout', $1::bigint::text, true)")

    init(_ connection: PostgresConnection, of pool: LoopPool, _ isolation: Isolation, deadline: Duration) {
        self.connection = connection
        self.pool = pool
        self.isolation = isolation
        self.deadline = deadline
        budget = deadline.wholeNanoseconds
    }

    /// Runs work in the transaction and returns its outcome.
    func perform(_ work: Request.Work) async -> Request.Outcome {
        await pool.perform(Request(work, budget: budget), in: self)
    }

    /// Sends a request within the transaction; on the loop.
    func send(_ request: Request) {
        switch state {
        case .fresh: begin(with: request)
        case .open: break
        case .unbegun, .ended: return pool.answer(request, .failed(.transactionEnded))
        }
        if request.endsTransaction { state = .ended }
        request.isInTransaction = true
        request.isReadOnly = isolation == .readOnly
        connection.send(request)
    }

    /// The BEGIN costs no round trip: it is sent with the first request, which the server skips if the BEGIN fails.
    private func begin(with request: Request) {
        state = .open
        request.prefix = [Self.step(isolation.begin)]
        let limit = pool.configuration.statementTimeout
        if deadline > limit, limit > .zero {
            let milliseconds = PostgresParameters(deadline.wholeMilliseconds)
            request.prefix.append(Request.Step(statement: Self.raiseTimeout, parameters: milliseconds))
        }
        let finished = request.finished
        request.finished = { [self, unowned request] error in
            if error != nil && request.hasDoneNothing && state == .open { state = .unbegun }
            finished?(error)
        }
    }

    /// Runs a text of several statements; an earlier request must have begun the transaction.
    func run(script text: String) async throws(PostgresError) {
        let result: Result<Void, PostgresError> = await withUnsafeContinuation { continuation in
            pool.onLoop { [self] _ in
                guard state == .open else { return continuation.resume(returning: .failure(.transactionEnded)) }
                connection.run(script: text) { continuation.resume(returning: $0) }
            }
        }
        try result.get()
    }

    /// Commits the transaction. Cancelling the task does not stop the commit.
    func commit() async throws(PostgresError) {
        guard await mustCommit() else { return }
        let request = Request(.one(Self.step(Self.commit)), budget: budget)
        request.endsTransaction = true
        // The transaction is over even if the COMMIT fails.
        request.finished = { [self] error in giveBack(isClean: error == nil || error?.kind == .server) }
        let rows = try await pool.performShielded(request, in: self).rows
        // The server answers ROLLBACK if a statement failed and the closure swallowed its error.
        if rows.result.tag != "COMMIT" { throw .transactionEnded }
    }

    /// Runs the last statements and commits in the same round trip.
    func commit(after steps: [Request.Step]) async throws(PostgresError) -> [Rows] {
        let request = Request(.batch(steps + [Self.step(Self.commit)]), budget: budget)
        request.endsTransaction = true
        request.finished = { [self] error in
            if error == nil {
                isDurable = true
                giveBack(isClean: true)
            } else {
                // The server skipped the COMMIT after a failed statement, or the COMMIT itself failed.
                sendRollback()
            }
        }
        var lists = try await pool.performShielded(request, in: self).lists
        guard lists.popLast()?.result.tag == "COMMIT" else { throw .transactionEnded }
        return lists
    }

    /// False if nothing was sent, in which case the connection is released, or if the transaction is committed already.
    private func mustCommit() async -> Bool {
        await withUnsafeContinuation { continuation in
            pool.onLoop { [self] pool in
                if isDurable {
                    continuation.resume(returning: false)
                } else if state == .fresh {
                    state = .ended
                    pool.release(connection)
                    continuation.resume(returning: false)
                } else {
                    continuation.resume(returning: true)
                }
            }
        }
    }

    /// Rolls the transaction back without waiting; the connection is released when the server has answered.
    func rollBack() {
        pool.onLoop { [self] pool in
            switch state {
            case .fresh: pool.release(connection)
            case .open, .unbegun: sendRollback()
            case .ended: break
            }
            state = .ended
        }
    }

    private func sendRollback() {
        let request = Request(.one(Self.step(Self.rollback)), budget: budget)
        request.finished = { [self] in giveBack(isClean: $0 == nil) }
        connection.send(request)
        connection.checkDeadlines()
    }

    private func giveBack(isClean: Bool) {
        if !isClean { connection.close() }
        pool.release(connection)
    }

    private static func step(_ statement: Statement) -> Request.Step {
        Request.Step(statement: statement, parameters: PostgresParameters())
    }
}
