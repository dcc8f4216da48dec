internal import CPostgres

/// One row, read column by column from the left.
///
///     init(row: inout Row) throws(PostgresError) {
///         id = try row.next()
///         name = try row.next()
///         deletedAt = try row.next()
///     }
public struct Row: Sendable {
    let result: PostgresResult
    let index: Int32
    private var column: Int32 = 0

    init(result: PostgresResult, index: Int32) {
        self.result = result
        self.index = index
    }

    /// The value of the next column.
    ///
    /// - Throws: `PostgresError` if the column is NULL, of another type, or missing.
    public mutating func next<Value: PostgresValue>(as type: Value.Type = Value.self) throws(PostgresError) -> Value {
        guard column < PQnfields(result.raw) else {
            throw PostgresError(.unexpectedColumn, message: "the row has only \(column) columns")
        }
        defer { column += 1 }
        return try Value.decode(PostgresColumn(index: Int(column), oid: PQftype(result.raw, column), bytes: bytes))
    }

    /// Skips the next column.
    public mutating func skip() { column += 1 }

    private var bytes: UnsafeRawBufferPointer? {
        if PQgetisnull(result.raw, index, column) != 0 { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result.raw, index, column), count: Int(PQgetlength(result.raw, index, column)))
    }
}
