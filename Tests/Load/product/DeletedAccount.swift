import LoadClient
import TestSupport
import Wire

/// An account with many messages, which is deleted while the product is under load.
///
/// It joins through the API, because a deletion asks for its password. SQL writes its messages, alternately with those of the
/// members of the first workspace.
struct DeletedAccount: Sendable {
    /// The rooms that the messages are in.
    static let rooms = 200
    /// The seconds in which a deletion has to be complete: a minute, and more with the patience of tests.
    static let limit = Int((Duration.seconds(60).patiently / .seconds(1)).rounded())

    let id: Int
    private let token: String

    private static let password = "Saessak-2024!"
    private static let key = ("SesacKey", "native")

    static func create(messages: Int, in product: ProductInstance) async throws -> DeletedAccount {
        let joined = try await HTTPCall.post(
            port: product.port, "/v1/users/join",
            json: #"{"email":"deleted@example.com","password":"\#(password)","nickname":"떠날 사람"}"#, headers: [key])
        guard let json = try? JSONValue(parsing: joined.body), let id = json.string("user_id").flatMap({ Int($0) }),
            let token = json["token"]?.string("accessToken")
        else { throw NeverHappened(description: "the account to delete: \(joined.text)") }
        let output = try await product.sql("workspace", channels(of: id))
        let made =
            output.split(separator: "\n").last?.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) } ?? []
        guard made.count == rooms + 1 else { throw NeverHappened(description: "the rooms: \(output)") }
        try await product.sql(
            "chat", self.messages(messages / rooms, of: id, in: Array(made.dropFirst()), of: made[0]))
        let account = DeletedAccount(id: id, token: token)
        try await account.awaitIndex(in: product)
        return account
    }

    /// The call that deletes the account with all its messages.
    var deletion: [UInt8] {
        LoadConnection.request(
            "DELETE", "/v1/users/me", headers: [Self.key, ("Authorization", token)],
            body: #"{"password":"\#(Self.password)","messages":"delete"}"#)
    }

    /// The seconds from the deletion until everything was erased; nil before that.
    func erasureTime(in product: ProductInstance) async throws -> Double? {
        let question = "select erased_at - requested_at from erasure where account = \(id) and erased_at is not null"
        return Double(try await product.sql("auth", question).prefix { $0.isNumber }).map { $0 / 1000 }
    }

    /// The messages that are left of the account.
    func messagesLeft(in product: ProductInstance) async throws -> Int {
        let answer = try await product.sql(
            "chat", "select count(*) from message where author = \(id) and deleted_at is null")
        return Int(answer.prefix { $0.isNumber }) ?? -1
    }

    /// Waits until search knows all messages, as it would in a product that has been running.
    private func awaitIndex(in product: ProductInstance) async throws {
        let question = """
            select count(*) from room r left join search_progress p on p.kind = r.kind and p.room = r.id
            where r.last_seq > coalesce(p.seq, 0) and not r.is_closed
            """
        for _ in 0..<600 {
            if try await product.sql("chat", question).hasPrefix("0\n") { return }
            try await pause(for: .seconds(1))
        }
        throw NeverHappened(description: "the end of the search index")
    }

    /// SQL that creates a workspace of the account and the first hundred users, and prints it and its channels.
    private static func channels(of account: Int) -> String {
        """
        with people as (
            select user_id from member where workspace = (select min(id) from workspace where slug is null)
            union select \(account)
        ), made as (
            insert into workspace (name, name_key, description, image, owner, created_at)
            select 'deleted', 'deleted', '', '/static/workspaces/default.png', min(user_id), 1 from people
            returning id, owner
        ), opened as (
            insert into channel (workspace, name, name_key, owner, is_default, created_at)
            select id, 'room ' || n, 'room ' || n, owner, n = 1, 1 from made, generate_series(1, \(rooms)) n
            returning id, workspace
        ), joined as (
            insert into member (workspace, user_id, joined_at) select id, user_id, 1 from made, people
        )
        insert into channel_member (channel, user_id, workspace, joined_at)
        select id, user_id, workspace, 1 from opened, people;
        select w.id, array_agg(c.id order by c.id) from workspace w join channel c on c.workspace = w.id
        where w.name = 'deleted' group by w.id;
        """
    }

    /// SQL that writes messages of an account and as many of another user into each room, with reactions and a read marker. Each
    /// message has its own time, as messages of a workspace have.
    private static func messages(_ count: Int, of account: Int, in rooms: [Int], of workspace: Int) -> String {
        let list = rooms.map(String.init).joined(separator: ",")
        return """
            insert into room (kind, id, workspace, name, last_seq, last_at)
            select 1, r, \(workspace), 'room', \(2 * count), extract(epoch from now()) * 1000
            from unnest('{\(list)}'::bigint[]) r;
            insert into message (kind, room, seq, author, session, content, files, created_at)
            select 1, r, n, case when n % 2 = 0 then \(account) else 1 end, 0, '지난 이야기 ' || n, '{}',
                (extract(epoch from now()) * 1000)::bigint - \(2 * rooms.count) * (\(2 * count) - n) - 2 * (place - 1)
            from unnest('{\(list)}'::bigint[]) with ordinality as each (r, place), generate_series(1, \(2 * count)) n
            order by r, n;
            insert into reaction (kind, room, seq, emoji, user_id, reacted_at)
            select 1, r, n, '👍', \(account), 1 from unnest('{\(list)}'::bigint[]) r, generate_series(1, \(count), 20) n;
            insert into read_position (user_id, kind, room, seq)
            select \(account), 1, r, \(2 * count) from unnest('{\(list)}'::bigint[]) r;
            """
    }
}
