public import Postgres

extension Outbox {
    /// Stores the times of the table as every other time is stored: a `bigint`, milliseconds since 1970. It follows
    /// `migration(number:)` in a service's list of migrations.
    public static func timesMigration(number: Int) -> Migration {
        Migration(number: number, name: "outbox_times", sql: Array(times.utf8))
    }

    private static let times = """
        alter table outbox
            alter column created_at drop default,
            alter column created_at type bigint using (extract(epoch from created_at) * 1000)::bigint,
            alter column created_at set default (extract(epoch from now()) * 1000)::bigint,
            alter column published_at type bigint using (extract(epoch from published_at) * 1000)::bigint;
        """
}
