import Contract
import Postgres
import ServiceKit
import Wire

/// The orders, payments and ledger of a user, for the export of their data.
struct ExportStore: Sendable {
    private let tables: ExportTables

    private static let orders = Statement.read(
        "exported orders",
        """
        select number, json_build_object('number', number, 'item', item, 'madeAt', export_time(made_at))::text, null::text
        from purchase_order where user_id = $1 and number > $2::text collate "C" order by number limit $3
        """)
    private static let claims = Statement.read(
        "exported claims",
        """
        select id::text, json_build_object(
            'provider', provider, 'payment', reference, 'order', order_number, 'madeAt', export_time(made_at),
            'endedAt', export_time(ended_at), 'outcome', outcome)::text, null::text
        from attempt where user_id = $1 and id > coalesce(nullif($2::text, ''), '0')::bigint order by attempt.id limit $3
        """)
    private static let payments = Statement.read(
        "exported payments",
        """
        select id::text, json_build_object(
            'provider', provider, 'payment', reference, 'order', order_number, 'item', item, 'amount', amount,
            'cancelledAmount', cancelled_amount, 'currency', currency, 'status', status, 'coins', coins,
            'refunded', refunded, 'paidAt', export_time(paid_at), 'creditedAt', export_time(credited_at))::text, null::text
        from payment where owner = $1 and id > coalesce(nullif($2::text, ''), '0')::bigint order by payment.id limit $3
        """)
    private static let ledger = Statement.read(
        "exported ledger",
        """
        select e.book || ',' || e.version, json_build_object(
            'account', e.book, 'number', e.version, 'amount', e.amount, 'balance', e.balance, 'kind', t.kind,
            'subject', t.subject, 'at', export_time(t.created_at))::text, null::text
        from entry e join transaction t on t.id = e.transaction_id
        where e.user_id = $1 and (e.book, e.version) > (
            split_part($2::text, ',', 1) collate "C", coalesce(nullif(split_part($2::text, ',', 2), ''), '0')::bigint)
        order by e.book, e.version limit $3
        """)
    private static let reserves = Statement.read(
        "exported reserves",
        """
        select key, json_build_object(
            'amount', amount, 'reason', reason, 'state', state, 'madeAt', export_time(created_at),
            'expiresAt', export_time(expires_at))::text, null::text
        from reserve where user_id = $1 and key > $2::text collate "C" order by key limit $3
        """)
    private static let account = Statement.read(
        "exported ledger account",
        """
        select '1', json_build_object('openedAt', export_time(opened_at))::text, null::text
        from account where user_id = $1 and $2::text = '' limit $3
        """)

    init(database: PostgresPool) {
        tables = ExportTables(
            [
                ExportSection("orders", Self.orders), ExportSection("claims", Self.claims),
                ExportSection("payments", Self.payments), ExportSection("account", Self.account),
                ExportSection("ledger", Self.ledger), ExportSection("reserves", Self.reserves),
            ], in: database)
    }

    /// A page of the user's rows.
    func page(of user: UserID, after cursor: String?) async throws -> ExportPage {
        try await tables.page(of: user, after: cursor)
    }
}
