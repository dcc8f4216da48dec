internal import CPostgres

extension PostgresConnection {
    /// Reads all complete results.
    func receiveResults() {
        if script != nil { return receiveScriptResults() }
        var isAfterEnd = false
        while !isClosed, !inFlight.isEmpty, PQisBusy(raw) == 0 {
            // One NULL ends a statement; two in a row mean that no more results are there.
            guard let result = PQgetResult(raw) else {
                if isAfterEnd { return }
                isAfterEnd = true
                continue
            }
            isAfterEnd = false
            received(result)
        }
    }

    private func received(_ result: OpaquePointer) {
        switch (PQresultStatus(result), inFlight.first) {
        case (PGRES_TUPLES_OK, .requests(let group)?), (PGRES_COMMAND_OK, .requests(let group)?),
            (PGRES_EMPTY_QUERY, .requests(let group)?):
            return group.received(PostgresResult(result))
        case (PGRES_FATAL_ERROR, .requests(let group)?):
            return group.failed(PostgresError(PostgresResult(result)))
        case (PGRES_FATAL_ERROR, .prepare(let statement)?):
            return statement.failure = PostgresError(PostgresResult(result))
        case (PGRES_PIPELINE_SYNC, _): hasUnreplicatedCommit ? close(.unreplicated) : finishFirst()
        case (PGRES_COMMAND_OK, .prepare?), (PGRES_PIPELINE_ABORTED, _), (_, nil): break
        default: close(PostgresError(.connectionLost, message: "COPY is not supported"))
        }
        PQclear(result)
    }

    private func finishFirst() {
        switch inFlight.popFirst() {
        case .requests(let group):
            depth -= group.requests.count
            finish(group)
        case .prepare(let statement): finish(statement)
        case nil: break
        }
        if hasRefusedWrite { close(.readOnly) }
        guard !isClosed else { return }
        headMovedOn()
        owner?.hasRoom(self)
    }

    private func finish(_ group: RequestGroup) {
        let mustGoAlone = group.requests.count > 1 && group.hasFailed
        for request in group.requests {
            if request === firstAfterCancel { (isCancelDue, firstAfterCancel) = (false, nil) }
            if mustGoAlone && request.error == nil && !request.isAnswered, let owner {
                request.isAlone = true
                request.restart(countingAs: 0)
                owner.takeBack(request)
            } else {
                finish(request)
            }
        }
    }

    private func finish(_ statement: PreparedStatement) {
        failures[statement.key] = statement.failure
        if statement.failure != nil { statements[statement.key] = nil }
    }

    private func finish(_ request: Request) {
        guard let error = request.error, !request.isAnswered else { return settle(request, request.outcome) }
        switch error.sqlState {
        case "26000":
            // The statement is unknown because its preparation failed, or because the session discarded it.
            if let reason = request.failedStep.preparedKey.flatMap({ failures[$0] }) {
                request.replaceError(reason)
                settle(request, request.outcome)
            } else {
                prepareAgain(request)
            }
        // The plan may be stale. The message would tell it from a statement that is not supported, but it is translated.
        case "0A000" where request.failedStep.preparedKey != nil: prepareAgain(request)
        case "25006" where !request.isReadOnly:
            hasRefusedWrite = true
            request.replaceError(.refusedWrite)
            settle(request, request.outcome)
        case "57014" where request.mayBeHitByCancel: restart(request)
        default: settle(request, request.outcome)
        }
    }

    private func prepareAgain(_ request: Request) {
        for key in request.steps.compactMap(\.preparedKey) { statements[key] = nil }
        restart(request)
    }

    /// Sends the request again, which had no effect. Within a transaction that is impossible: the failure aborted it.
    private func restart(_ request: Request) {
        guard !request.isInTransaction, request.restarts < Self.restartLimit, let owner else {
            return settle(request, request.outcome)
        }
        request.restart()
        owner.takeBack(request)
    }

    private static let restartLimit = 2
}
