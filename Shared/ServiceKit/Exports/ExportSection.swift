public import Postgres

/// A section of an export: the rows of a user in one table, in the order of a key.
///
/// Its statement takes the user, the key after which rows are wanted (empty for the first page) and the most rows. Each row
/// is the key as text, the record as JSON text and the name of a file in the file store or null:
///
///     select id::text, json_build_object('id', id::text, 'madeAt', export_time(made_at))::text, null::text
///     from purchase where user_id = $1 and id > coalesce(nullif($2, '')::bigint, 0) order by purchase.id limit $3
///
/// The order names the table's column: `order by id` would sort by the text in the first column.
public struct ExportSection: Sendable {
    /// The name of the section in the export, such as `purchases`.
    public let name: String
    let statement: Statement
    /// The most rows of a page: fewer for rows that may be long.
    let rows: Int

    public init(_ name: String, _ statement: Statement, rows: Int = 500) {
        self.name = name
        self.statement = statement
        self.rows = rows
    }
}
