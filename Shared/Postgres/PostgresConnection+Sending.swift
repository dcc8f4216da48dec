internal import CPostgres
internal import EventLoop

extension PostgresConnection {
    /// Sends a request in the pipeline.
    func send(_ request: Request) {
        guard !isClosed, script == nil else { return settle(request, .failed(.notSent)) }
        if isCancelDue {
            request.mayBeHitByCancel = true
            firstAfterCancel = firstAfterCancel ?? request
        }
        let isSent = request.mayShareSync && configuration.readsPerSync > 1 ? join(request) : sendAlone(request)
        guard isSent else {
            close(lost())
            return settle(request, .failed(.notSent))
        }
        if depth == 0 { busySince = loop.now }
        depth += 1
        arm(for: request.deadline)
        lastUse = loop.now
    }

    private func sendAlone(_ request: Request) -> Bool {
        guard endGroup(), write(request) else { return false }
        inFlight.append(.requests(RequestGroup(request)))
        return PQpipelineSync(raw) == 1 && flush()
    }

    /// Adds a read to the group of this turn; their common sync follows at the end of the turn.
    private func join(_ request: Request) -> Bool {
        guard let step = request.onlyStep, let statement = prepared(step), execute(step, statement) else {
            return false
        }
        if let openGroup {
            openGroup.add(request)
            return openGroup.requests.count < configuration.readsPerSync || endGroup()
        }
        let group = RequestGroup(request)
        openGroup = group
        inFlight.append(.requests(group))
        loop.executeAtEndOfTurn { [self] in
            if openGroup === group && !endGroup() { close(lost()) }
        }
        return true
    }

    private func endGroup() -> Bool {
        guard openGroup != nil else { return true }
        openGroup = nil
        return PQpipelineSync(raw) == 1 && flush()
    }

    private func write(_ request: Request) -> Bool {
        if let step = request.onlyStep { return execute(step, prepared(step)) }
        // Preparing sends a sync, which must not fall between the steps.
        let steps = request.steps.map { ($0, prepared($0)) }
        return steps.allSatisfy { execute($0, $1) }
    }

    /// Prepares a statement on its first use here, with a separate sync, so that no failure of another statement undoes it.
    private func prepared(_ step: Request.Step) -> PreparedStatement? {
        guard let key = step.preparedKey, case .prepared(let sql) = step.statement.source else { return nil }
        if let known = statements[key] { return known }
        guard endGroup() else { return nil }
        statementCount += 1
        let statement = PreparedStatement(key: key, number: statementCount, label: step.statement.name)
        statements[key] = statement
        inFlight.append(.prepare(statement))
        let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
        let isSent = step.parameters.withPointers { count, types, _, _, _ in
            PQsendPrepare(raw, statement.name, text, count, types)
        }
        return isSent == 1 && PQpipelineSync(raw) == 1 ? statement : nil
    }

    private func execute(_ step: Request.Step, _ prepared: PreparedStatement?) -> Bool {
        step.parameters.withPointers { count, types, values, lengths, formats in
            switch step.statement.source {
            case .unprepared(let sql):
                PQsendQueryParams(raw, sql, count, types, values, lengths, formats, 1) == 1
            case .prepared:
                prepared.map {
                    PQsendQueryPrepared(raw, $0.name, count, values, lengths, formats, 1) == 1
                } ?? false
            }
        }
    }
}

extension Request.Step {
    /// Nil for a statement that is never prepared.
    var preparedKey: PreparedStatement.Key? {
        guard case .prepared(let sql) = statement.source else { return nil }
        return PreparedStatement.Key(statement: Int(bitPattern: sql.utf8Start), signature: parameters.signature)
    }
}
