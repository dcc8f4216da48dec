/// A large result in chunks, each fetched when it is asked for: memory holds one chunk at a time.
///
///     try await database.transaction(.readOnly) { tx in
///         for try await rows in try tx.chunks(of: 500, Self.history, room) { … }
///     }
///
/// It is a cursor of the server, so it lives within its transaction and keeps a connection busy; where a client asks page
/// by page, select by key instead (`where seq < $1 order by seq desc limit 100`).
public struct RowChunks: AsyncSequence {
    public typealias Element = Rows
    public typealias Failure = PostgresError

    let transaction: PostgresTransaction
    let statement: Statement
    let parameters: PostgresParameters
    let size: Int

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

    /// Fetches chunk after chunk.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum State {
            case fresh
            case open(fetch: Statement, close: Statement)
            case ended
        }

        let chunks: RowChunks
        private var state = State.fresh

        init(chunks: RowChunks) { self.chunks = chunks }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PostgresError) -> Rows? {
            switch state {
            case .ended: return nil
            case .open(let fetch, let close): return try await next(fetch, close)
            case .fresh:
                let cursor = "chunks_\(chunks.transaction.lease.nextCursor())"
                let declare = "declare \(cursor) no scroll cursor for \(chunks.statement.text)"
                _ = try await chunks.transaction.run(
                    Statement("declare cursor", unprepared: declare), with: chunks.parameters)
                let fetch = Statement("fetch chunk", unprepared: "fetch forward \(chunks.size) from \(cursor)")
                return try await next(fetch, Statement("close cursor", unprepared: "close \(cursor)"))
            }
        }

        private mutating func next(
            _ fetch: Statement, _ close: Statement, isolation: isolated (any Actor)? = #isolation
        ) async throws(PostgresError) -> Rows? {
            let rows = try await chunks.transaction.query(fetch)
            state = .open(fetch: fetch, close: close)
            if rows.count == chunks.size { return rows }
            state = .ended
            try await chunks.transaction.execute(close)
            return rows.isEmpty ? nil : rows
        }
    }
}

extension PostgresTransaction {
    /// The rows of a statement, so many at a time.
    public func chunks<each Value: PostgresValue>(
        of size: Int, _ statement: Statement, _ values: repeat each Value
    ) throws(PostgresError) -> RowChunks {
        precondition(size > 0)
        return RowChunks(
            transaction: self, statement: statement, parameters: try PostgresParameters(repeat each values), size: size)
    }
}
