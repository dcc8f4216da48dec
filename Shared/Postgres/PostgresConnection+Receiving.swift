internal import CPostgres

extension PostgresConnection {
    /// Takes all results that are complete.
    func receiveResults() {
        if script != nil { return receiveScriptResults() }
        var isAfterEnd = false
        while !isClosed, !inFlight.isEmpty, PQisBusy(raw) == 0 {
            // One NULL ends a statement; two in a row mean that nothing more is there.
            guard let result = PQgetResult(raw) else {
                if isAfterEnd { return }
                isAfterEnd = true
                continue
            }
            isAfterEnd = false
            received(PostgresResult(result))
        }
    }

    private func received(_ result: PostgresResult) {
        switch (result.status, inFlight.first) {
        case (PGRES_PIPELINE_SYNC, _): finishFirst()
        case (PGRES_PIPELINE_ABORTED, _), (_, nil): break
        case (PGRES_COMMAND_OK, .request(let request)?), (PGRES_TUPLES_OK, .request(let request)?),
            (PGRES_EMPTY_QUERY, .request(let request)?):
            request.received(result)
        case (PGRES_COMMAND_OK, .prepare?): break
        case (PGRES_FATAL_ERROR, .request(let request)?): request.failed(PostgresError(result))
        case (PGRES_FATAL_ERROR, .prepare(let statement)?): statement.failure = PostgresError(result)
        default: close(PostgresError(.connectionLost, message: "COPY is not supported"))
        }
    }

    private func finishFirst() {
        let first = inFlight.popFirst()
        if let first { headChanged(from: first) }
        switch first {
        case .request(let request): finish(request)
        case .prepare(let statement): finish(statement)
        case nil: break
        }
        if !isClosed { owner?.hasRoom(self) }
    }

    private func finish(_ statement: PreparedStatement) {
        prepareFailures[statement.key] = statement.failure
        if statement.failure != nil { prepared[statement.key] = nil }
    }

    private func finish(_ request: Request) {
        guard let error = request.error, !request.isAnswered else { return settle(request, request.outcome) }
        switch error.sqlState {
        case "26000":
            // What could not be prepared is unknown when it is executed; else somebody has discarded it.
            if let reason = prepareFailures[request.failedKey] {
                request.replaceError(reason)
                settle(request, request.outcome)
            } else {
                forgetAndRestart(request)
            }
        case "0A000" where error.message.contains("cached plan"): forgetAndRestart(request)
        case "57014" where request.mayBeHitByCancel: restart(request)
        default: settle(request, request.outcome)
        }
    }

    private func forgetAndRestart(_ request: Request) {
        for step in request.steps { prepared[step.preparedKey] = nil }
        restart(request)
    }

    /// Nothing has taken effect, so it may start again; not within a transaction, which is aborted by now.
    private func restart(_ request: Request) {
        guard !isLeased, request.restarts < Self.mostRestarts, let owner else {
            return settle(request, request.outcome)
        }
        request.restart()
        owner.takeBack(request)
    }

    private static let mostRestarts = 2
}
