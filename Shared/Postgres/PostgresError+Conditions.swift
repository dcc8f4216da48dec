extension PostgresError {
    /// Whether a row with the same key exists already; of the named constraint or index, if one is given.
    public func isUniqueViolation(of constraint: String? = nil) -> Bool {
        sqlState == "23505" && (constraint == nil || constraint == self.constraint)
    }

    /// Whether a row referred to is missing, or is still referred to.
    public func isForeignKeyViolation(of constraint: String? = nil) -> Bool {
        sqlState == "23503" && (constraint == nil || constraint == self.constraint)
    }

    /// Whether a `check` was not met.
    public func isCheckViolation(of constraint: String? = nil) -> Bool {
        sqlState == "23514" && (constraint == nil || constraint == self.constraint)
    }

    /// Whether a serializable transaction met another; trying again helps.
    public var isSerializationFailure: Bool { sqlState == "40001" }

    /// Whether the server broke a deadlock here; trying again helps.
    public var isDeadlock: Bool { sqlState == "40P01" }

    /// Whether nothing took effect and the same transaction may pass when it is tried again at once.
    public var isTransient: Bool { isSerializationFailure || isDeadlock }

    /// Whether it is unknown if a write took effect.
    public var isOutcomeUnknown: Bool { kind == .connectionLost || kind == .timeout || kind == .cancelled }

    static let timeout = PostgresError(.timeout, message: "the deadline passed")
    static let cancelled = PostgresError(.cancelled, message: "")
    static let notSent = PostgresError(.connectionLost, message: "the connection was closed before")
    static let closed = PostgresError(.closed, message: "the pool is closed")
    static let tooManyWait = PostgresError(.exhausted, message: "too many wait for a connection")
    static let notConnected = PostgresError(.unavailable, message: "no connection was made in time")
    static let waitedTooLong = PostgresError(.exhausted, message: "no connection came free in time")
    static let transactionEnded = PostgresError(.transactionEnded, message: "the transaction has ended or was aborted")
    static let nulInText = PostgresError(.invalidParameter, message: "text with a NUL character")
}
