internal import CPostgres

extension PostgresConnection {
    /// Puts a request into the pipeline.
    func send(_ request: Request) {
        guard !isClosed, script == nil else {
            return settle(request, .failed(PostgresError(.connectionLost, message: "the connection is closed")))
        }
        var isSent = true
        for step in request.steps where isSent { isSent = prepareIfNew(step) }
        for step in request.steps where isSent { isSent = execute(step) }
        guard isSent, PQpipelineSync(raw) == 1 else {
            settle(request, .failed(PostgresError(.connectionLost, message: "cannot send")))
            return close(PostgresError(.connectionLost, message: "a neighbour could not be sent"))
        }
        inFlight.append(.request(request))
        arm(for: request.deadline)
        scheduleFlush()
        restartIdleTimer()
    }

    /// Preparing has a sync of its own: a failure of what is sent with it cannot undo it.
    private func prepareIfNew(_ step: Request.Step) -> Bool {
        guard case .prepared(let sql) = step.statement.source else { return true }
        let key = step.preparedKey
        if prepared[key] != nil { return true }
        preparedCount += 1
        let statement = PreparedStatement(key: key, number: preparedCount, label: step.statement.name)
        prepared[key] = statement
        inFlight.append(.prepare(statement))
        let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
        let isSent = step.parameters.withPointers { count, types, _, _, _ in
            PQsendPrepare(raw, statement.name, text, count, types)
        }
        return isSent == 1 && PQpipelineSync(raw) == 1
    }

    private func execute(_ step: Request.Step) -> Bool {
        let isSent = step.parameters.withPointers { count, types, values, lengths, formats in
            switch step.statement.source {
            case .unprepared(let sql):
                PQsendQueryParams(raw, sql, count, types, values, lengths, formats, 1)
            case .prepared:
                PQsendQueryPrepared(
                    raw, prepared[step.preparedKey]?.name ?? [0], count, values, lengths, formats, 1)
            }
        }
        return isSent == 1
    }
}

extension Request.Step {
    var preparedKey: PreparedStatement.Key {
        guard case .prepared(let sql) = statement.source else {
            return PreparedStatement.Key(statement: 0, signature: 0)
        }
        return PreparedStatement.Key(statement: Int(bitPattern: sql.utf8Start), signature: parameters.signature)
    }
}
