/// The isolation level of a transaction, as PostgreSQL defines it.
public enum Isolation: Sendable {
    /// Each statement sees the data committed before it began.
    case readCommitted
    /// All statements see the data committed before the first statement.
    case repeatableRead
    /// Transactions behave as if they ran one after the other. One may fail with `isSerializationFailure`; retry it.
    case serializable
    /// Like `repeatableRead`, without writes.
    case readOnly

    var begin: Statement {
        switch self {
        case .readCommitted: Self.beginReadCommitted
        case .repeatableRead: Self.beginRepeatableRead
        case .serializable: Self.beginSerializable
        case .readOnly: Self.beginReadOnly
        }
    }

    private static let beginReadCommitted = Statement.write("begin", "begin isolation level read committed")
    private static let beginRepeatableRead = Statement.write("begin", "begin isolation level repeatable read")
    private static let beginSerializable = Statement.write("begin", "begin isolation level serializable")
    private static let beginReadOnly = Statement.write("begin", "begin isolation level repeatable read read only")
}
