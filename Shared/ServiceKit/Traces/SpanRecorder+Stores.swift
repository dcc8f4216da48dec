internal import Postgres
internal import Redis
internal import Telemetry

extension PostgresConfiguration {
    /// Records a span for each call of a traced task. Without a tracer, a call costs one nil check.
    mutating func trace(by tracer: Tracer?) {
        guard tracer != nil else { return }
        beginTrace = {
            guard let recorder = CallContext.current?.recorder else { return nil }
            let start = TraceSpan.now
            return { recorder.record($0, from: start) }
        }
    }
}

extension RedisConfiguration {
    /// Records a span for each command or batch of a traced task. Without a tracer, a command costs one nil check.
    mutating func trace(by tracer: Tracer?) {
        guard tracer != nil else { return }
        beginTrace = {
            guard let recorder = CallContext.current?.recorder else { return nil }
            let start = TraceSpan.now
            return { recorder.record($0, from: start) }
        }
    }
}

extension SpanRecorder {
    /// Records statements of Postgres by their names, never by their parameters.
    fileprivate func record(_ report: StatementReport, from start: UInt64) {
        let names = report.names.joined(separator: "; ")
        var open = begin(names, .client, at: start)
        open.span.set("db.system.name", .text("postgresql"))
        open.span.set("db.query.summary", .text(names))
        if report.names.count > 1 { open.span.set("db.operation.batch.size", .number(Int64(report.names.count))) }
        open.span.set("db.response.returned_rows", .number(Int64(report.rows)))
        if let error = report.error {
            open.span.set("error.type", .text(error.sqlState.isEmpty ? "\(error.kind)" : error.sqlState))
        }
        open.end(hasFailed: report.error != nil)
    }

    /// Records a command of Redis by its name, never by its arguments.
    fileprivate func record(_ report: CommandReport, from start: UInt64) {
        var open = begin(report.name, .client, at: start)
        open.span.set("db.system.name", .text("redis"))
        open.span.set("db.operation.name", .text(report.name))
        if report.count > 1 { open.span.set("db.operation.batch.size", .number(Int64(report.count))) }
        if report.hasFailed { open.span.set("error.type", .text("redis")) }
        open.end(hasFailed: report.hasFailed)
    }
}
