extension PostgresError {
    /// Whether a row with the same key exists already; in the given constraint or index, if one is given.
    public func isUniqueViolation(of constraint: String? = nil) -> Bool {
        sqlState == "23505" && (constraint == nil || constraint == self.constraint)
    }

    /// Whether a referenced row is missing, or a row to be deleted is still referenced.
    public func isForeignKeyViolation(of constraint: String? = nil) -> Bool {
        sqlState == "23503" && (constraint == nil || constraint == self.constraint)
    }

    /// Whether a `check` constraint was violated.
    public func isCheckViolation(of constraint: String? = nil) -> Bool {
        sqlState == "23514" && (constraint == nil || constraint == self.constraint)
    }

    /// Whether a serializable transaction conflicted with another; a retry helps.
    public var isSerializationFailure: Bool { sqlState == "40001" }

    /// Whether the server chose this transaction to end a deadlock; a retry helps.
    public var isDeadlock: Bool { sqlState == "40P01" }

    /// Whether a statement gave up waiting for a lock, after `lock_timeout`.
    public var isLockTimeout: Bool { sqlState == "55P03" }

    /// Whether the transaction had no effect and may succeed if it is retried at once.
    public var isTransient: Bool { isSerializationFailure || isDeadlock }

    /// Whether the server lacks a resource, such as space on its disk; a retry helps once it has it again.
    public var isOutOfResources: Bool { sqlState.hasPrefix("53") }

    /// Whether a write may or may not have taken effect.
    public var isOutcomeUnknown: Bool { kind == .connectionLost || kind == .timeout || kind == .cancelled }

    static let timeout = PostgresError(.timeout, message: "the deadline passed")
    static let cancelled = PostgresError(.cancelled, message: "")
    static let notSent = PostgresError(.connectionLost, message: "the connection closed before the statement was sent")
    static let noAnswer = PostgresError(.connectionLost, message: "the server does not answer")
    static let readOnly = PostgresError(.connectionLost, message: "the server has become read-only")
    static let refusedWrite = PostgresError(
        .unavailable, sqlState: "25006", message: "the server has become read-only")
    static let unreplicated = PostgresError(.connectionLost, message: "a commit was not confirmed by a standby")
    static let closed = PostgresError(.closed, message: "the pool is closed")
    static let closedInFlight = PostgresError(
        .connectionLost, message: "the session was closed while the statement was in flight")
    static let tooManyWait = PostgresError(.exhausted, message: "too many callers wait for a connection")
    static let notConnected = PostgresError(.unavailable, message: "no connection was opened in time")
    static let waitedTooLong = PostgresError(.exhausted, message: "no connection became free in time")
    static let transactionEnded = PostgresError(.transactionEnded, message: "the transaction has ended or was aborted")
    static let nulInText = PostgresError(.invalidParameter, message: "text with a NUL character")
}
