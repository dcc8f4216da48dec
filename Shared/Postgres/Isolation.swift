/// How far a transaction is kept apart from the others, as PostgreSQL defines it.
public enum Isolation: Sendable {
    /// Each statement sees what was committed before it began.
    case readCommitted
    /// All statements see what was committed before the first.
    case repeatableRead
    /// As if transactions ran one after the other; may fail with `isSerializationFailure` and is then tried again.
    case serializable
    /// Like `repeatableRead`, and nothing may be written.
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
