import Postgres
import Synchronization
import Wire

/// The table of users' settings.
final class SettingsStore: Sendable {
    private let database: PostgresPool
    /// The names of time zones; nil until they have been read.
    private let zones = Mutex<Set<String>?>(nil)

    private static let find = Statement.read(
        "settings of user",
        """
        select read_receipts, presence, typing, quiet_from, quiet_to, quiet_zone, keywords
        from user_settings where user_id = $1
        """)
    private static let hidden = Statement.read(
        "users without presence", "select user_id from user_settings where user_id = any($1::bigint[]) and not presence"
    )
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
    /// Only names of the IANA database. Postgres itself also accepts abbreviations and formulas such as `FOO+3`. The view
    /// reads every file of the database, so it must not share a sync with the reads of other calls.
    private static let zoneNames = Statement.write(
        "names of time zones",
        """
        select name from pg_timezone_names
        where name !~ '^(posix|right)/' and name not in ('localtime', 'posixrules', 'Factory')
        """)

    init(database: PostgresPool) { self.database = database }

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

    /// The users among these that do not share their presence.
    func hidden(among users: [UserID]) async throws -> Set<UserID> {
        if users.isEmpty { return [] }
        return Set(
            try await database.query(Self.hidden, users).map { row throws(PostgresError) in
                try row.next(as: UserID.self)
            })
    }

    /// Whether the time zone database of Postgres has a zone of this name. The names are read once.
    func knows(zone: String) async throws -> Bool {
        if let names = zones.withLock(\.self) { return names.contains(zone) }
        let names = Set(
            try await database.query(Self.zoneNames).map { row throws(PostgresError) in try row.next(as: String.self) })
        zones.withLock { $0 = names }
        return names.contains(zone)
    }
}

extension UserSettings {
    /// Reads the columns read_receipts, presence, typing, quiet_from, quiet_to, quiet_zone, keywords.
    init(row: inout Row) throws(PostgresError) {
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
