internal import EventLoop
internal import Wire

/// A connection that a transaction has for itself, and how far the transaction is.
///
/// - Note: `@unchecked Sendable` because the mutable state is touched on the pool's loop alone.
final class Lease: @unchecked Sendable {
    private enum State { case fresh, open, ended }

    private let pool: LoopPool
    private let connection: PostgresConnection
    private let isolation: Isolation
    private let budget: Duration
    private var state = State.fresh

    private static let commit = Statement("commit", "commit")
    private static let rollback = Statement("rollback", "rollback")
    private static let raiseTimeout = Statement(
        "raise statement timeout", "select set_config('statement_timeout', $1::bigint::text, true)")

    init(_ connection: PostgresConnection, of pool: LoopPool, _ isolation: Isolation, budget: Duration) {
        self.connection = connection
        self.pool = pool
        self.isolation = isolation
        self.budget = budget
    }

    /// Runs work in the transaction and waits for its outcome.
    nonisolated(nonsending) func perform(_ work: Request.Work) async -> Request.Outcome {
        await pool.perform(Request(work, budget: budget)) { [self] request in
            guard state != .ended else { return pool.answer(request, .failed(.transactionEnded)) }
            if state == .fresh { request.prefix = begin }
            state = .open
            connection.send(request)
        }
    }

    /// Runs a text of several statements; other work must have begun the transaction.
    nonisolated(nonsending) func run(script text: String) async throws(PostgresError) {
        let result: Result<Void, PostgresError> = await withUnsafeContinuation { continuation in
            pool.onLoop { [self] _ in
                guard state == .open else { return continuation.resume(returning: .failure(.transactionEnded)) }
                connection.run(script: text) { continuation.resume(returning: $0) }
            }
        }
        try result.get()
    }

    /// Makes the transaction durable. Cancelling the task does not take this back.
    nonisolated(nonsending) func commit() async throws(PostgresError) {
        let request = Request(.one(Self.step(Self.commit)), budget: budget)
        let outcome = await pool.performShielded(request) { [self] request in
            if state == .open {
                // However a COMMIT fails, the transaction is over.
                request.finished = { [self] error in giveBack(isClean: error == nil || error?.kind == .server) }
                connection.send(request)
            } else {
                if state == .fresh { pool.release(connection) }
                pool.answer(request, .batch([]))
            }
            state = .ended
        }
        // The server answers ROLLBACK where a statement had failed and the closure did not mind.
        if let rows = try outcome.lists.first, rows.result.tag != "COMMIT" { throw .transactionEnded }
    }

    /// Undoes the transaction, without waiting; the connection is free again once the server has done so.
    func rollBack() {
        pool.onLoop { [self] _ in
            switch state {
            case .fresh: pool.release(connection)
            case .open:
                let request = Request(.one(Self.step(Self.rollback)), budget: budget)
                request.finished = { [self] in giveBack(isClean: $0 == nil) }
                connection.send(request)
                connection.checkDeadlines()
            case .ended: break
            }
            state = .ended
        }
    }

    private func giveBack(isClean: Bool) {
        if !isClean { connection.close() }
        pool.release(connection)
    }

    /// Beginning costs no round trip, since it travels with the first work; which never runs where it fails.
    private var begin: [Request.Step] {
        let begin = Self.step(isolation.begin)
        let limit = pool.configuration.statementTimeout
        guard budget > limit, limit > .zero else { return [begin] }
        return [
            begin, Request.Step(statement: Self.raiseTimeout, parameters: PostgresParameters(budget.wholeMilliseconds)),
        ]
    }

    private static func step(_ statement: Statement) -> Request.Step {
        Request.Step(statement: statement, parameters: PostgresParameters())
    }
}
