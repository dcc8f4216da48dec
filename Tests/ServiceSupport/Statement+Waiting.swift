public import Postgres

extension Statement {
    /// Lets a transaction wait as long as it likes. Otherwise the server would end its session on a machine that stands still.
    public static let waitForLong = write("wait for long", "set local idle_in_transaction_session_timeout = 0")
}
