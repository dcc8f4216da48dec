internal import CPostgres

/// The execution of a text of several statements, which cannot be part of a pipeline.
final class ScriptRun {
    private var completion: ((Result<Void, PostgresError>) -> Void)?
    var error: PostgresError?

    init(_ completion: @escaping (Result<Void, PostgresError>) -> Void) { self.completion = completion }

    func finish(_ result: Result<Void, PostgresError>) {
        completion?(result)
        completion = nil
    }
}

extension PostgresConnection {
    /// Runs a text of several statements outside the pipeline; no other request may be in flight.
    func run(script text: String, _ completion: @escaping (Result<Void, PostgresError>) -> Void) {
        guard !isClosed, script == nil, inFlight.isEmpty, PQexitPipelineMode(raw) == 1 else {
            return completion(.failure(PostgresError(.connectionLost, message: "the connection is not free")))
        }
        script = ScriptRun(completion)
        if PQsendQuery(raw, text) != 1 || !flush() { close(lost()) }
    }

    func receiveScriptResults() {
        while let script, !isClosed, PQisBusy(raw) == 0 {
            if let result = PQgetResult(raw).map(PostgresResult.init) {
                if result.status == PGRES_FATAL_ERROR { script.error = script.error ?? PostgresError(result) }
                continue
            }
            // Libpq reports the loss as a failed statement without an SQLSTATE.
            if PQstatus(raw) != CONNECTION_OK { return close(lost()) }
            self.script = nil
            if PQenterPipelineMode(raw) != 1 { close() }
            script.finish(script.error.map { .failure($0) } ?? .success(()))
        }
    }
}
