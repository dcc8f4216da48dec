import Postgres

extension Error {
    /// Whether a transaction that failed with this error may have been committed, because the reply to the commit was
    /// lost. A cancelled task does not stop a commit under way, so a transaction that was cancelled is rolled back.
    var mayHaveCommitted: Bool {
        guard let error = self as? PostgresError else { return false }
        return error.isOutcomeUnknown && error.kind != .cancelled
    }
}
