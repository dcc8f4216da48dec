import LoadClient
import ServiceSupport
import TestSupport

/// Clients that come back to a room: after 10,000 messages and 2,000 changes of earlier ones, or after 10,000 messages without
/// any change.
struct Resumptions: Sendable {
    static let messages = 10_000
    static let changes = 2000

    /// The rooms with and without changes. Each has as many earlier messages as later ones.
    private static let (changed, plain) = (1001, 1002)
    /// The largest pages that the routes give.
    private static let page = 500

    private let head: String

    init(_ peers: StubServer<PeerStub>) {
        let token = peers.tokens.token(user: 1, key: "native", lives: .seconds(7200))
        head = " HTTP/1.1\r\nHost: load\r\nSesacKey: native\r\nAuthorization: \(token)\r\n\r\n"
    }

    /// Writes both rooms. Every fifth of the earlier messages of one has been edited, or has three reactions of two kinds.
    static func prepare(_ chat: LoadedChat) async throws {
        try await chat.database.run(
            sql: """
                insert into chat.room (kind, id, workspace, name, last_seq, last_at, rev)
                values (1, \(changed), 1, 'general', \(2 * messages), 2000000, \(changes)),
                    (1, \(plain), 1, 'general', \(2 * messages), 2000000, 0);
                insert into chat.message (kind, room, seq, author, session, content, files, created_at)
                select 1, r, n, n % 10 + 1, n % 10 + 1001, '\(Sends.content)', '{}', 2000000 + 2 * n
                from unnest(array[\(changed), \(plain)]) as r, generate_series(1, \(2 * messages)) as n;
                update chat.message set rev = seq / 5, edited_at = case when seq % 2 = 0 then 3000000 end
                where kind = 1 and room = \(changed) and seq % 5 = 0 and seq <= \(messages);
                insert into chat.message_change (kind, room, seq, rev)
                select kind, room, seq, rev from chat.message where kind = 1 and room = \(changed) and rev > 0;
                insert into chat.message_version (kind, room, seq, content, written_at, written_by)
                select kind, room, seq, 'before', created_at, author from chat.message
                where room = \(changed) and edited_at is not null;
                insert into chat.reaction (kind, room, seq, emoji, user_id, reacted_at)
                select kind, room, seq, case u when 3 then '🎉' else '👍' end, u, 3000000
                from chat.message, generate_series(1, 3) as u
                where room = \(changed) and rev > 0 and edited_at is null;
                analyze
                """)
    }

    /// Loads the messages and the changes.
    func resuming() -> LoadRun.Journey {
        let requests = histories(of: Self.changed) + changeRequests()
        return { connection, _, end in Self.call(requests[...], on: connection, end) }
    }

    /// Loads as many messages of the room without changes.
    func reading() -> LoadRun.Journey {
        let requests = histories(of: Self.plain)
        return { connection, _, end in Self.call(requests[...], on: connection, end) }
    }

    private func histories(of room: Int) -> [[UInt8]] {
        stride(from: Self.messages, to: 2 * Self.messages, by: Self.page).map {
            request("\(room)/chats?threads=inline&after_seq=\($0)&limit=\(Self.page)")
        }
    }

    private func changeRequests() -> [[UInt8]] {
        stride(from: 0, to: Self.changes, by: Self.page).map {
            request("\(Self.changed)/changes?after_rev=\($0)&limit=\(Self.page)")
        }
    }

    private func request(_ path: String) -> [UInt8] { Array("GET /v1/workspaces/1/channels/\(path)\(head)".utf8) }

    private static func call(
        _ requests: ArraySlice<[UInt8]>, on connection: LoadConnection, _ end: @escaping (String?) -> Void
    ) {
        guard let request = requests.first else { return end(nil) }
        connection.send(request) { reply in
            // A full page has more than 200 bytes a message.
            guard reply.status == 200, reply.body.count > 200 * page else { return end("\(reply.status)") }
            call(requests.dropFirst(), on: connection, end)
        }
    }
}
