public import Postgres

/// The statements for the rows of an outbox. Those of a divided outbox name a workspace, so that they need one server; the others have the same
/// parameters and ignore it.
public struct OutboxStatements: Sendable {
    /// Rows that wait, at most `$1`, of a least age of `$2` ms, of the workspace `$3`.
    let waiting: Statement
    /// Notes the entries `$2` of the rows `$1` of the workspace `$3`, but not of rows that have an entry. A late mark would name an
    /// older entry, which may be trimmed long before the row is deleted, and count as lost.
    public let markPublished: Statement
    /// Published rows above `$1`, at most `$2`, of the workspace `$3` wait again. Returns their number and the last of them.
    let reset: Statement
    /// The rows `$1` of the workspace `$3` wait again if they still have the entries `$2`.
    let publishAgain: Statement
    /// Deletes the rows `$1` of the workspace `$2`.
    let delete: Statement
    /// Old published rows, at most `$1`, of a least age of `$2` ms, with their workspaces and times. Leaves out entries like one of `$3`,
    /// and rows that were published before `$4`.
    let old: Statement
    /// The workspaces with rows that wait, at most `$1`, of a least age of `$2` ms; nil for an outbox that is whole.
    let workspaces: Statement?
    /// The workspaces with published rows.
    let publishedWorkspaces: Statement?

    /// - Parameter isDivided: whether the outbox is divided by workspace.
    public static func of(isDivided: Bool) -> OutboxStatements { isDivided ? divided : whole }

    private static let whole = OutboxStatements(
        waiting: .write(
            "waiting outbox rows",
            """
            select id, type, body from outbox
            where published_at is null and created_at <= (extract(epoch from now()) * 1000)::bigint - $2
            order by id limit $1 for update skip locked
            """),
        markPublished: .write(
            "note published outbox rows",
            """
            update outbox set published_at = (extract(epoch from clock_timestamp()) * 1000)::bigint, entry = published.entry
            from unnest($1::bigint[], $2::text[]) as published (id, entry)
            where outbox.id = published.id and outbox.published_at is null
            """),
        reset: .write(
            "publish outbox again",
            """
            with slice as (
                select id from outbox where id > $1 and published_at is not null order by id limit $2 for update skip locked
            ), changed as (
                update outbox set published_at = null, entry = null where id in (select id from slice)
            )
            select count(*), coalesce(max(id), 0) from slice
            """),
        publishAgain: .write(
            "publish outbox rows again",
            """
            update outbox set published_at = null, entry = null
            from unnest($1::bigint[], $2::text[]) as lost (id, entry)
            where outbox.id = lost.id and outbox.entry = lost.entry
            """),
        delete: .write("delete outbox rows", "delete from outbox where id = any($1::bigint[])"),
        old: .read(
            "old outbox rows",
            """
            select id, entry, 0::bigint, published_at from outbox
            where published_at < (extract(epoch from now()) * 1000)::bigint - $2 and not entry like any($3::text[])
                and published_at >= $4
            order by published_at limit $1
            """),
        workspaces: nil, publishedWorkspaces: nil)

    /// `clock_timestamp()` would have another value on each server, so Citus refuses it in an update. The time of the statement is that after
    /// the publishing; `now()` would be the time at which the relay began its transaction.
    private static let divided = OutboxStatements(
        waiting: .write(
            "waiting outbox rows of workspace",
            """
            select id, type, body from outbox
            where workspace = $3::bigint and published_at is null
                and created_at <= (extract(epoch from now()) * 1000)::bigint - $2
            order by id limit $1 for update skip locked
            """),
        markPublished: .write(
            "note published outbox rows of workspace",
            """
            update outbox set published_at = (extract(epoch from statement_timestamp()) * 1000)::bigint, entry = published.entry
            from unnest($1::bigint[], $2::text[]) as published (id, entry)
            where outbox.workspace = $3::bigint and outbox.id = published.id and outbox.published_at is null
            """),
        reset: .write(
            "publish outbox of workspace again",
            """
            with slice as materialized (
                select id from outbox
                where workspace = $3::bigint and id > $1 and published_at is not null
                order by id limit $2 for update skip locked
            ), changed as (
                update outbox set published_at = null, entry = null
                where workspace = $3 and id in (select id from slice)
            )
            select count(*), coalesce(max(id), 0) from slice
            """),
        publishAgain: .write(
            "publish outbox rows of workspace again",
            """
            update outbox set published_at = null, entry = null
            from unnest($1::bigint[], $2::text[]) as lost (id, entry)
            where outbox.workspace = $3::bigint and outbox.id = lost.id and outbox.entry = lost.entry
            """),
        delete: .write(
            "delete outbox rows of workspace",
            "delete from outbox where workspace = $2::bigint and id = any($1::bigint[])"),
        old: .read(
            "old outbox rows of workspaces",
            """
            select id, entry, workspace, published_at from outbox
            where published_at < (extract(epoch from now()) * 1000)::bigint - $2 and not entry like any($3::text[])
                and published_at >= $4
            order by published_at limit $1
            """),
        workspaces: .read(
            "workspaces with waiting outbox rows",
            """
            select workspace from outbox
            where published_at is null and created_at <= (extract(epoch from now()) * 1000)::bigint - $2
            group by workspace order by min(id) limit $1
            """),
        publishedWorkspaces: .read(
            "workspaces with published outbox rows",
            "select workspace from outbox where published_at is not null group by workspace"))
}
