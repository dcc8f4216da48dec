import Postgres
import Wire

/// Finds the moments at which days begin, by the time zone database of Postgres.
struct DayStore: Sendable {
    let database: PostgresPool

    /// The zone is the given one, that of the user's do-not-disturb hours, or UTC. Where clocks are set back over midnight, a day
    /// has two midnights an hour apart, and Postgres takes the second one.
    private static let beginnings = Statement.read(
        "beginnings of days",
        """
        select (extract(epoch from
            case when (midnight - interval '1 hour') at time zone name >= day then midnight - interval '1 hour'
                else midnight end) * 1000)::bigint
        from (select coalesce($1, (select quiet_zone from user_settings where user_id = $2), 'UTC') as name) as zone
        cross join lateral (
            select day, day at time zone name as midnight, place
            from unnest($3::bigint[]) with ordinality as given (utc, place)
            cross join lateral (select to_timestamp(utc / 1000) at time zone 'UTC' as day) as local
        ) as days
        order by place
        """)

    /// Returns the beginnings of days in a zone.
    ///
    /// - Parameters:
    ///   - days: their beginnings in UTC.
    ///   - zone: a name that `SettingsStore.knows`; nil for the zone of the user's do-not-disturb hours, or UTC.
    func beginnings(of days: [Timestamp], in zone: String?, for user: UserID) async throws -> [Timestamp] {
        try await database.query(Self.beginnings, zone, user, days.map(\.milliseconds)).map {
            row throws(PostgresError) in
            min(max(try row.next(), .earliest), .latest)
        }
    }
}
