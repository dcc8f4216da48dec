import Contract
import Postgres
import Wire

/// The table `block`: the users that keep others from reaching them.
struct BlockStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert block",
        """
        with wanted as (
            select id from account where id = $2 and deleted_at is null
        ), inserted as (
            insert into block (account, blocked, created_at)
            select $1, id, $3 from wanted where (select count(*) from block where account = $1) < $4
            on conflict (account, blocked) do nothing
            returning blocked
        )
        select
            case
                when not exists (select from wanted) then 'unknown'
                when exists (select from inserted) or exists (select from block where account = $1 and blocked = $2)
                    then 'blocked'
                else 'full'
            end
        """)
    private static let delete = Statement.write("delete block", "delete from block where account = $1 and blocked = $2")
    private static let list = Statement.read(
        "blocks of account",
        """
        select a.id, a.email, a.nickname, a.profile_image, b.created_at
        from block b join account a on a.id = b.blocked
        where b.account = $1 and (b.created_at, b.blocked) < ($2, $3) order by b.created_at desc, b.blocked desc limit $4
        """)
    private static let ofUsers = Statement.read(
        "blocks of users",
        """
        select u.id, array(select blocked from block where account = u.id order by blocked),
            array(select account from block where blocked = u.id order by account)
        from unnest($1::bigint[]) as u (id)
        where exists (select from block where account = u.id) or exists (select from block where blocked = u.id)
        """)

    /// The outcome of an insert.
    enum Outcome: String, Sendable {
        /// The account has the block, from now on or from before.
        case blocked
        /// There is no such account to block.
        case unknown
        /// The account has as many blocks as allowed.
        case full
    }

    /// A block as its owner sees it.
    struct Block: Sendable {
        let member: MemberView
        let createdAt: Timestamp
    }

    /// Inserts a block; concurrent calls may exceed the limit by a few.
    func insert(_ blocked: UserID, by account: UserID, limit: Int, at now: Timestamp) async throws -> Outcome {
        let text = try await database.query(Self.insert, account, blocked, now.milliseconds, limit)
            .value(as: String.self)
        return Outcome(rawValue: text) ?? .unknown
    }

    /// Deletes a block, if there is one.
    func delete(_ blocked: UserID, by account: UserID) async throws {
        try await database.execute(Self.delete, account, blocked)
    }

    /// The blocks of an account, newest first, before a place in that order.
    func list(of account: UserID, before place: (time: Int64, id: Int64), limit: Int) async throws -> [Block] {
        try await database.query(Self.list, account, place.time, place.id, limit).map { row throws(PostgresError) in
            Block(
                member: MemberView(
                    id: try row.next(), email: try row.next(), nickname: try row.next(), profileImage: try row.next()),
                createdAt: try row.next())
        }
    }

    /// The blocks of users in both directions; users without any are missing.
    func blocks(of users: [UserID]) async throws -> [AuthClient.Blocks] {
        try await database.query(Self.ofUsers, users).map { row throws(PostgresError) in
            let user: UserID = try row.next()
            let blocked = try row.next(as: [Int64].self), blockers = try row.next(as: [Int64].self)
            return AuthClient.Blocks(
                user: user, blocked: blocked.map { UserID($0) }, blockers: blockers.map { UserID($0) })
        }
    }
}
