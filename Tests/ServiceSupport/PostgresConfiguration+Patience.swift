public import Postgres
internal import TestSupport

extension PostgresConfiguration {
    /// Sets limits that only a fault reaches: tests run side by side on a busy machine.
    public mutating func waitPatiently() {
        deadline = .seconds(30).patiently
        statementTimeout = deadline
        waitTimeout = deadline
        connectTimeout = deadline
    }
}
