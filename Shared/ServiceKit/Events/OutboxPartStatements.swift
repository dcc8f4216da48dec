internal import Postgres

/// The statements for one part of a divided outbox: they name its workspaces, so that they need one server.
enum OutboxPartStatements {
    /// Returns at most one row. Fails if the part is out of reach.
    static let reach = Statement.read(
        "reach part of outbox", "select 1 from outbox where workspace = any($1::bigint[]) limit 1")
    /// Those of `$3` with rows that wait, at most `$1`, of a least age of `$2` ms, and the first of these rows of each.
    static let workspaces = Statement.read(
        "workspaces of part with waiting outbox rows",
        """
        select workspace, min(id) from outbox
        where workspace = any($3::bigint[]) and published_at is null
            and created_at <= (extract(epoch from now()) * 1000)::bigint - $2
        group by workspace order by 2 limit $1
        """)
    static let publishedWorkspaces = Statement.read(
        "workspaces of part with published outbox rows",
        """
        select workspace from outbox where workspace = any($1::bigint[]) and published_at is not null group by workspace
        """)
    /// The entries that were published last, at most `$1`, and when.
    static let lastPublished = Statement.read(
        "last published outbox entries of part",
        """
        select entry, published_at, id from outbox
        where workspace = any($2::bigint[]) and published_at is not null order by published_at desc, id desc limit $1
        """)
    /// The entries that were published after the time `$3` and the row `$4`, at most `$1`, in the order of both.
    static let publishedAfter = Statement.read(
        "published outbox entries of part",
        """
        select entry, published_at, id from outbox
        where workspace = any($2::bigint[]) and published_at is not null
            and published_at >= $3 and (published_at > $3 or id > $4)
        order by published_at, id limit $1
        """)
    /// As `OutboxStatements.old`.
    static let old = Statement.read(
        "old outbox rows of part",
        """
        select id, entry, workspace, published_at from outbox
        where workspace = any($5::bigint[]) and published_at < (extract(epoch from now()) * 1000)::bigint - $2
            and not entry like any($3::text[]) and published_at >= $4
        order by published_at limit $1
        """)
    /// The number of rows that wait, at most `$1`, and the time of the oldest one.
    static let length = Statement.read(
        "count waiting outbox rows of part",
        """
        select count(*), min(created_at) from (
            select created_at from outbox where workspace = any($2::bigint[]) and published_at is null order by id limit $1
        ) as waiting
        """)
}
