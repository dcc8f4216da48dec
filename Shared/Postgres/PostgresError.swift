/// The failure of a statement, a transaction or a connection.
///
/// It never contains a value of a parameter or a column: a message of the server that may quote one is left out.
public struct PostgresError: Error, Sendable, Equatable {
    /// The kind of a failure.
    public enum Kind: Sendable, Equatable {
        /// The server refused the statement; `sqlState` has the reason.
        case server
        /// The connection ended while the statement was in flight; the statement may have taken effect.
        case connectionLost
        /// No connection to a server that can write could be opened in time, or the server refused a write because it has
        /// become read-only; nothing has taken effect.
        case unavailable
        /// The deadline passed; the statement was cancelled, but may have taken effect.
        case timeout
        /// The caller's task was cancelled.
        case cancelled
        /// Too many callers wait for a connection, or this one waited too long; nothing was sent.
        case exhausted
        /// The pool was closed; nothing was sent.
        case closed
        /// The value cannot be a parameter; nothing was sent.
        case invalidParameter
        /// A row does not have the columns that its reader expects.
        case unexpectedColumn
        /// The transaction has ended, or was aborted by an error that its body swallowed.
        case transactionEnded
    }

    public let kind: Kind
    /// The five characters of SQLSTATE; empty if the error is not the server's.
    public let sqlState: String
    /// A description without values; may be empty.
    public let message: String
    /// The name of the violated constraint.
    public let constraint: String?
    /// The name of the table with the violated constraint.
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
