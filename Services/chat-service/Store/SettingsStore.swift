import Postgres
import Wire

/// The table of users' settings.
struct SettingsStore: Sendable {
    let database: PostgresPool

    private static let find = Statement.read(
        "settings of user",
        """
        select read_receipts, presence, typing, quiet_from, quiet_to, quiet_zone, keywords
        from user_settings where user_id = $1
        """)
    private static let put = Statement.write(
        "put settings",
        """
        insert into user_settings
            (user_id, read_receipts, presence, typing, quiet_from, quiet_to, quiet_zone, keywords)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (user_id) do update set
            read_receipts = excluded.read_receipts, presence = excluded.presence, typing = excluded.typing,
            quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to, quiet_zone = excluded.quiet_zone,
            keywords = excluded.keywords
        """)
    /// Only names of the IANA database. Postgres itself also accepts abbreviations and formulas such as `FOO+3`.
    private static let knowsZone = Statement.read(
        "known time zone",
        """
        select exists (
            select from pg_timezone_names
            where name = $1 and name !~ '^(posix|right)/' and name not in ('localtime', 'posixrules', 'Factory')
        )
        """)

    /// The defaults for a user without stored settings.
    func find(_ user: UserID) async throws -> UserSettings {
        try await database.query(Self.find, user).first(UserSettings.init(row:)) ?? UserSettings()
    }

    func put(_ settings: UserSettings, of user: UserID) async throws {
        let quiet = settings.doNotDisturb
        try await database.execute(
            Self.put, user, settings.readReceipts, settings.presence, settings.typing, quiet?.from.minutes,
            quiet?.to.minutes, quiet?.zone, settings.keywords)
    }

    /// Whether the time zone database of Postgres has a zone of this name.
    func knows(zone: String) async throws -> Bool { try await database.query(Self.knowsZone, zone).value() }
}

extension UserSettings {
    /// Reads the columns read_receipts, presence, typing, quiet_from, quiet_to, quiet_zone, keywords.
    fileprivate init(row: inout Row) throws(PostgresError) {
        readReceipts = try row.next()
        presence = try row.next()
        typing = try row.next()
        let (from, to, zone): (Int16?, Int16?, String?) = (try row.next(), try row.next(), try row.next())
        if let from, let to, let zone {
            doNotDisturb = QuietHours(
                from: QuietHours.TimeOfDay(minutes: from), to: QuietHours.TimeOfDay(minutes: to), zone: zone)
        }
        keywords = try row.next()
    }
}
