import Contract
import Postgres
import Wire

/// The table `join_request`: users that ask to be let in. ``MemberStore`` deletes the request of a new member, and
/// ``BanStore`` that of a banned user.
struct JoinRequestStore: Sendable {
    let database: PostgresPool

    private static let isOpen = Statement.read(
        "workspace is open to user",
        """
        select accepts_requests and not exists (select from ban where workspace = $1 and user_id = $2)
        from workspace where id = $1
        """)
    private static let find = Statement.read(
        "join request",
        "select user_id, text, created_at, declined_at from join_request where workspace = $1 and user_id = $2")
    private static let openCount = Statement.read(
        "count join requests",
        "select count(*) from join_request where workspace = $1 and declined_at is null")
    private static let put = Statement.write(
        "put join request",
        """
        insert into join_request (workspace, user_id, text, created_at) values ($1, $2, $3, $4)
        on conflict (workspace, user_id) do update set text = excluded.text, declined_at = null,
            created_at = case when join_request.declined_at is null then join_request.created_at
                else excluded.created_at end
        returning user_id, text, created_at, declined_at
        """)
    private static let list = Statement.read(
        "join requests of workspace",
        """
        select user_id, text, created_at, declined_at from join_request
        where workspace = $1 and declined_at is null and (created_at, user_id) > ($2, $3)
        order by created_at, user_id limit $4
        """)
    private static let decline = Statement.write(
        "decline join request",
        "update join_request set declined_at = $3, text = '' where workspace = $1 and user_id = $2")
    private static let withdraw = Statement.write(
        "withdraw join request",
        "delete from join_request where workspace = $1 and user_id = $2 and declined_at is null")
    private static let forget = Statement.write(
        "delete declined join requests", "delete from join_request where declined_at <= $1")

    /// Whether the workspace takes requests, and this user's.
    func isOpen(
        to user: UserID, _ workspace: WorkspaceID, in transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.query(Self.isOpen, workspace, user).value()
    }

    func find(
        _ user: UserID, in workspace: WorkspaceID, _ transaction: PostgresTransaction
    ) async throws -> JoinRequest? {
        try await transaction.query(Self.find, workspace, user).first(JoinRequest.init(row:))
    }

    func openCount(_ workspace: WorkspaceID, in transaction: PostgresTransaction) async throws -> Int {
        Int(try await transaction.query(Self.openCount, workspace).value(as: Int64.self))
    }

    /// Inserts a request, or replaces the text of an open one and opens a declined one again.
    func put(
        _ user: UserID, _ text: String, in workspace: WorkspaceID, at now: Timestamp, _ transaction: PostgresTransaction
    ) async throws -> JoinRequest {
        try await transaction.query(Self.put, workspace, user, text, now.milliseconds).only(JoinRequest.init(row:))
    }

    /// A page of the open requests, oldest first.
    func list(_ workspace: WorkspaceID, _ page: Page) async throws -> [JoinRequest] {
        try await database.query(Self.list, workspace, page.moment, page.id, page.limit).map(JoinRequest.init(row:))
    }

    /// Keeps the user and the time, without the text.
    func decline(
        _ user: UserID, in workspace: WorkspaceID, at now: Timestamp, _ transaction: PostgresTransaction
    ) async throws {
        try await transaction.execute(Self.decline, workspace, user, now.milliseconds)
    }

    /// Deletes a request that nobody has decided about.
    func withdraw(
        _ user: UserID, from workspace: WorkspaceID, _ transaction: PostgresTransaction
    ) async throws {
        try await transaction.execute(Self.withdraw, workspace, user)
    }

    /// Deletes requests that were declined at a moment or before it.
    func forget(declinedBefore moment: Timestamp) async throws {
        try await database.execute(Self.forget, moment.milliseconds)
    }
}

extension JoinRequest {
    /// Reads the columns user_id, text, created_at, declined_at.
    fileprivate init(row: inout Row) throws(PostgresError) {
        user = try row.next()
        text = try row.next()
        createdAt = Timestamp(milliseconds: try row.next())
        declinedAt = try row.next(as: Int64?.self).map { Timestamp(milliseconds: $0) }
    }
}
