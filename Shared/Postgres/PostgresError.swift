/// Why a statement, a transaction or a connection failed.
///
/// It never holds a value of a parameter or a column: where the server's own words may quote one, they are left out.
public struct PostgresError: Error, Sendable, Equatable {
    /// What kind of failure it is.
    public enum Kind: Sendable, Equatable {
        /// The server refused the statement; `sqlState` says why.
        case server
        /// The connection ended while the statement was under way; whether it took effect is unknown.
        case connectionLost
        /// No connection to the server could be made in time; nothing was sent.
        case unavailable
        /// The deadline passed; the statement was cancelled, but may have taken effect.
        case timeout
        /// The caller's task was cancelled.
        case cancelled
        /// Too many callers wait for a connection, or this one waited too long; nothing was sent.
        case exhausted
        /// The pool was closed; nothing was sent.
        case closed
        /// A value that no parameter can hold; nothing was sent.
        case invalidParameter
        /// A row does not hold what its reader expects.
        case unexpectedColumn
        /// The transaction has ended, or was aborted by a failure that its body swallowed.
        case transactionEnded
    }

    public let kind: Kind
    /// The server's five characters; empty unless the server said something.
    public let sqlState: String
    /// What happened, without any value; may be empty.
    public let message: String
    /// The name of the violated constraint.
    public let constraint: String?
    /// The name of the table concerned, for a violated constraint.
    public let table: String?
    /// The name of the statement that failed.
    public internal(set) var statement: String?

    init(
        _ kind: Kind, sqlState: String = "", message: String, constraint: String? = nil, table: String? = nil,
        statement: String? = nil
    ) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
        self.constraint = constraint
        self.table = table
        self.statement = statement
    }
}

extension PostgresError: CustomStringConvertible {
    public var description: String {
        var text = "postgres \(kind)"
        if !sqlState.isEmpty { text += " \(sqlState)" }
        if let constraint { text += " constraint \(constraint)" }
        if let statement { text += " in \"\(statement)\"" }
        return message.isEmpty ? text : text + ": " + message
    }
}
