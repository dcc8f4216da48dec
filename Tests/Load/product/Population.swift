import Crypto
import ServiceKit
import ServiceSupport
import TestSupport

/// The users of the load test, with their workspaces and channels.
///
/// SQL writes them into the services' tables, because joining through the API would hash a thousand passwords. Their
/// tokens are signed here with the key in the instance's own table, so the services check and cache them like any other
/// token.
struct Population: Sendable {
    struct Person: Sendable {
        let workspace: Int
        /// The channels of the workspace, the default one first.
        let channels: [Int]
        let accessToken: String
        /// The same user's token for the native API.
        let nativeToken: String
        /// The seq of the user's own message in the default channel.
        let seq: Int
        /// The nicknames of the workspace's members end with the numbers after this one.
        let names: Int
        /// The cookie that opens sockets.
        let cookie: String
    }

    let people: [Person]

    /// Users in a workspace.
    static let size = 100
    /// Channels of a workspace beside the default one. Every member of the workspace is in all of them.
    private static let channels = 5
    private static let profile = "gen-2024-07"

    /// Writes at least so many people.
    static func create(_ wanted: Int, in product: ProductInstance) async throws -> Population {
        let workspaces = (wanted + size - 1) / size
        let sessions = try await product.sql("auth", accounts(workspaces * size)).split(separator: "\n").map { line in
            line.split(separator: "|").compactMap { Int($0) }
        }
        guard sessions.count == workspaces * size, let first = sessions.first?[0] else {
            throw NeverHappened(description: "the accounts")
        }
        let output = try await product.sql("workspace", self.workspaces(workspaces, firstUser: first))
        let rooms = output.split(separator: "\n").map { line in
            line.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        }
        let pem = try await product.sql("auth", "select private_key from signing_key order by created_at desc limit 1")
        let issuer = TokenIssuer(key: try SigningKey(pem: pem))
        func token(_ purpose: Authenticator.Purpose, _ session: [Int], key: String = profile) -> String {
            issuer.token(
                for: purpose, user: Int64(session[0]), session: Int64(session[1]), key: key, lives: .seconds(86_400))
        }
        for (index, room) in rooms.enumerated() {
            _ = try await product.sql(
                "chat", messages(in: room[1], of: room[0], firstUser: sessions[index * size][0]))
        }
        return Population(
            people: sessions.enumerated().map { index, session in
                let room = rooms[index / size]
                return Person(
                    workspace: room[0], channels: Array(room.dropFirst()),
                    accessToken: token(.access, session),
                    nativeToken: token(.access, session, key: "native"), seq: index % size + 1,
                    names: index / size * size,
                    cookie: "maru_socket=" + token(.socket, session))
            })
    }

    /// SQL that creates accounts and prints each with its session.
    private static func accounts(_ count: Int) -> String {
        """
        insert into account (email, email_key, nickname, created_at)
        select 'load' || n || '@example.com', 'load' || n || '@example.com', '사람 ' || n, extract(epoch from now()) * 1000
        from generate_series(1, \(count)) n order by n;
        insert into session (account, profile, created_at, expires_at)
        select id, '\(profile)', extract(epoch from now()) * 1000, extract(epoch from now()) * 1000 + 86400000
        from account order by id;
        select account, id from session order by account;
        """
    }

    /// SQL that writes one message of each member of a workspace into its default channel, in the order of the members.
    private static func messages(in channel: Int, of workspace: Int, firstUser: Int) -> String {
        """
        insert into room (kind, id, workspace, name, last_seq, last_at)
        values (1, \(channel), \(workspace), 'channel 0', \(size), extract(epoch from now()) * 1000);
        insert into message (kind, room, seq, author, session, content, files, created_at)
        select 1, \(channel), n, \(firstUser) + n - 1, 0, '첫 인사 ' || n, '{}',
            extract(epoch from now()) * 1000 - 2 * (\(size) - n)
        from generate_series(1, \(size)) n;
        """
    }

    /// SQL that creates workspaces and prints each with its channels, the default one first.
    private static func workspaces(_ count: Int, firstUser: Int) -> String {
        """
        do $$
        declare
            now bigint := extract(epoch from now()) * 1000;
            made bigint;
            opened bigint;
            boss bigint;
        begin
            for n in 1..\(count) loop
                boss := \(firstUser) + (n - 1) * \(size);
                insert into workspace (name, name_key, description, image, owner, created_at)
                values ('load ' || n, 'load ' || n, '', '/static/workspaces/default.png', boss, now) returning id into made;
                insert into member select made, u, now from generate_series(boss, boss + \(size - 1)) u;
                for c in 0..\(channels) loop
                    insert into channel (workspace, name, name_key, owner, is_default, created_at)
                    values (made, 'channel ' || c, 'channel ' || c, boss, c = 0, now) returning id into opened;
                    insert into channel_member
                    select opened, u, made, now from generate_series(boss, boss + \(size - 1)) u;
                end loop;
            end loop;
        end $$;
        select w.id, array_agg(c.id order by c.id) from workspace w join channel c on c.workspace = w.id
        where w.slug is null group by w.id order by w.id;
        """
    }
}
