import Postgres

/// One node of the cluster: how far it has the log, and the stores to read history from.
struct NodeStore: Sendable {
    /// The host and port of the connection string.
    let host: String
    let history: HistoryStores
    private let database: PostgresPool

    /// A node that gives no answer within this time counts as gone.
    private static let answerTimeout = Duration.milliseconds(500)

    init(host: String, database: PostgresPool) {
        self.host = host
        self.database = database.within(Self.answerTimeout)
        history = HistoryStores(database: database, isPrimary: false)
    }

    private static let position = Statement.read(
        "position in log",
        """
        select pg_is_in_recovery(), (pg_last_wal_receive_lsn() - '0/0'::pg_lsn)::bigint,
            (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint
        """)

    /// Nil if the node does not answer.
    func position() async -> NodePosition? {
        try? await database.query(Self.position).only { row throws(PostgresError) in
            NodePosition(isReplica: try row.next(), received: try row.next(), replayed: try row.next())
        }
    }
}

/// The server that takes writes, as the watch of the replicas asks it.
struct PrimaryStore: Sendable {
    private let database: PostgresPool

    init(database: PostgresPool) { self.database = database.within(.seconds(1)) }

    private static let position = Statement.read(
        "end of log",
        """
        select (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint,
            current_setting('synchronous_standby_names') <> ''
                and current_setting('synchronous_commit') in ('on', 'remote_apply')
        """)

    /// The end of the log, and whether a commit waits until a replica has it on its disk. Nil if no primary answers.
    func position() async -> (end: Int64, isSynchronous: Bool)? {
        try? await database.query(Self.position).only { row throws(PostgresError) in
            (end: try row.next(), isSynchronous: try row.next())
        }
    }
}
