public import Postgres
internal import TestSupport

extension PostgresConfiguration {
    /// Sets time-outs that only a fault reaches, because tests run in parallel on a busy machine.
    public mutating func waitPatiently() {
        deadline = .seconds(30).patiently
        statementTimeout = deadline
        idleInTransactionTimeout = deadline
        waitTimeout = deadline
        connectTimeout = deadline
        silenceLimit = deadline
        stallLimit = deadline
    }
}
