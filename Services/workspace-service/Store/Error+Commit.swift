import Postgres

extension Error {
    /// Whether a transaction that failed with this error may have been committed, because the reply to the commit was
    /// lost.
    var mayHaveCommitted: Bool { (self as? PostgresError)?.isOutcomeUnknown ?? false }
}
