import Contract
import Postgres
import Wire

/// The audit log of operators, a table that only grows: see `0050_operator_acts.sql`.
struct OperatorActStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert operator act",
        """
        insert into audit.operator_act (key, call, at, operator, address, service, act, subject, outcome)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict (key) do nothing
        """)
    private static let list = Statement.read(
        "page of operator acts",
        """
        select id, call, at, operator, address, service, act, subject, outcome from audit.operator_act
        where id < $1 and ($2::text is null or operator = $2) and ($3::text is null or subject = $3)
            and ($4::text is null or act = $4 or starts_with(act, $4 || '.'))
        order by id desc limit $5
        """)

    /// Adds an entry, unless there is one with its key.
    func insert(_ act: OperatorAct) async throws {
        try await database.execute(
            Self.insert, act.key, act.call, act.at.milliseconds, act.operatorName, act.address, act.service, act.act,
            act.subject, act.outcome)
    }

    /// The entries before the id `last`, newest first.
    ///
    /// - Parameter act: an act, or its first part: `users` stands for `users.disable` and others.
    func list(
        before last: Int64, operatorName: String?, subject: String?, act: String?, limit: Int
    ) async throws -> [(id: Int64, act: OperatorAct)] {
        try await database.query(Self.list, last, operatorName, subject, act, limit).map { row throws(PostgresError) in
            (try row.next(), try OperatorAct(row: &row))
        }
    }
}

extension OperatorAct {
    /// Reads the columns call, at, operator, address, service, act, subject, outcome.
    fileprivate init(row: inout Row) throws(PostgresError) {
        self.init(
            call: try row.next(), at: try row.next(), operatorName: try row.next(), address: try row.next(),
            service: try row.next(), act: try row.next(), subject: try row.next(), outcome: try row.next())
    }
}
