internal import CPostgres

/// The rows that a statement returned.
///
///     try await database.query(Self.members, workspace).map(Member.init(row:))
///     try await database.query(Self.findByEmail, email).first(User.init(row:))
///     for var row in rows { sum += try row.next() as Int64 }
public struct Rows: Sequence, Sendable {
    let result: PostgresResult

    /// The number of rows.
    public var count: Int { Int(result.rowCount) }
    /// Whether there are no rows.
    public var isEmpty: Bool { count == 0 }
    /// The number of rows that an insert, update or delete affected, or a select returned.
    public var affected: Int { result.affected }

    /// Reads every row.
    public func map<Value, Failure: Error>(_ read: (inout Row) throws(Failure) -> Value) throws(Failure) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for index in 0..<result.rowCount {
            var row = Row(result: result, index: index)
            values.append(try read(&row))
        }
        return values
    }

    /// Reads the first row; nil if there is none.
    public func first<Value, Failure: Error>(_ read: (inout Row) throws(Failure) -> Value) throws(Failure) -> Value? {
        guard !isEmpty else { return nil }
        var row = Row(result: result, index: 0)
        return try read(&row)
    }

    /// Reads the row of a statement that always returns one row.
    public func only<Value>(_ read: (inout Row) throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        guard let value = try first(read) else {
            throw PostgresError(.unexpectedColumn, message: "the statement returned no row")
        }
        return value
    }

    /// The first column of a statement that always returns one row.
    public func value<Value: PostgresValue>(as type: Value.Type = Value.self) throws(PostgresError) -> Value {
        try only { row throws(PostgresError) in try row.next() }
    }

    public func makeIterator() -> Iterator { Iterator(result: result) }

    /// Iterates over the rows.
    public struct Iterator: IteratorProtocol {
        fileprivate let result: PostgresResult
        fileprivate var index: Int32 = 0

        fileprivate init(result: PostgresResult) { self.result = result }

        public mutating func next() -> Row? {
            guard index < result.rowCount else { return nil }
            defer { index += 1 }
            return Row(result: result, index: index)
        }
    }
}
