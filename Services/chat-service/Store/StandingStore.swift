import Contract
import Postgres
import Wire

/// The standing of members and the filtered words of workspaces.
struct StandingStore: Sendable {
    let database: PostgresPool

    private static let restricted = Statement.read(
        "restricted members",
        """
        select user_id, warnings, warned_at, muted_until, is_suspended from standing
        where workspace = $1 and (is_suspended or muted_until > $2)
        """)
    private static let words = Statement.read(
        "filtered words", "select word, is_masked from word_filter where workspace = $1 order by ordinal")
    private static let one = Statement.read(
        "standing of member",
        """
        select user_id, warnings, warned_at, muted_until, is_suspended from standing
        where workspace = $1 and user_id = $2
        """)
    private static let list = Statement.read(
        "standings",
        """
        select user_id, warnings, warned_at, muted_until, is_suspended from standing
        where workspace = $1 and user_id > $2 order by user_id limit $3
        """)
    private static let put = Statement.write(
        "put standing",
        """
        insert into standing (workspace, user_id, muted_until, is_suspended) values ($1, $2, $3, $4)
        on conflict (workspace, user_id) do update
        set muted_until = excluded.muted_until, is_suspended = excluded.is_suspended
        returning user_id, warnings, warned_at, muted_until, is_suspended
        """)
    private static let putWords = Statement.write(
        "replace filtered words",
        """
        insert into word_filter (workspace, ordinal, word, is_masked)
        select $1, ordinal, word, is_masked from unnest($2::text[], $3::boolean[]) with ordinality
            as new (word, is_masked, ordinal)
        on conflict (workspace, ordinal) do update set word = excluded.word, is_masked = excluded.is_masked
        """)
    private static let dropWords = Statement.write(
        "drop filtered words", "delete from word_filter where workspace = $1 and ordinal > $2::bigint")
    private static let forget = Statement.write(
        "forget moderation of workspace",
        """
        with words as (delete from word_filter where workspace = $1)
        delete from standing where workspace = $1
        """)

    /// The rules of a workspace.
    func rules(of workspace: WorkspaceID, at now: Timestamp) async throws -> ModerationRules {
        var batch = PostgresBatch()
        try batch.add(Self.restricted, workspace, now.milliseconds)
        try batch.add(Self.words, workspace)
        let results = try await database.run(batch)
        let restricted = try results[0].map(Self.standing)
        return ModerationRules(
            restricted: Dictionary(restricted) { first, _ in first },
            filter: WordFilter(try results[1].map(Self.word)))
    }

    func words(of workspace: WorkspaceID) async throws -> [WordFilter.Word] {
        try await database.query(Self.words, workspace).map(Self.word)
    }

    func replaceWords(of workspace: WorkspaceID, by words: [WordFilter.Word]) async throws {
        var batch = PostgresBatch()
        try batch.add(Self.putWords, workspace, words.map(\.text), words.map(\.isMasked))
        try batch.add(Self.dropWords, workspace, words.count)
        try await database.run(batch)
    }

    /// The standing of a member; a good one if there is none.
    func find(_ user: UserID, in workspace: WorkspaceID) async throws -> Standing {
        try await database.query(Self.one, workspace, user).first(Self.standing)?.1 ?? Standing()
    }

    /// The members of a workspace with a standing, by id, after one.
    func list(in workspace: WorkspaceID, after user: Int64, limit: Int) async throws -> [(UserID, Standing)] {
        try await database.query(Self.list, workspace, user, limit).map(Self.standing)
    }

    /// Sets mute and suspension; the warnings stay.
    func put(
        _ user: UserID, in workspace: WorkspaceID, mutedUntil: Timestamp?, isSuspended: Bool
    ) async throws -> Standing {
        try await database.query(Self.put, workspace, user, mutedUntil?.milliseconds, isSuspended)
            .first(Self.standing)?.1 ?? Standing()
    }

    /// Erases standings and words of a workspace that is deleted.
    func forget(_ workspace: WorkspaceID) async throws { try await database.execute(Self.forget, workspace) }

    private static func standing(_ row: inout Row) throws(PostgresError) -> (UserID, Standing) {
        let user: UserID = try row.next()
        return (
            user,
            Standing(
                warnings: try row.next(), warnedAt: try row.next(), mutedUntil: try row.next(),
                isSuspended: try row.next())
        )
    }

    private static func word(_ row: inout Row) throws(PostgresError) -> WordFilter.Word {
        WordFilter.Word(text: try row.next(), isMasked: try row.next())
    }
}
