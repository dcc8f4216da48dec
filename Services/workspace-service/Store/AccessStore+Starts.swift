import Contract
import Postgres
import Wire

/// Reads the channels of many users for the starts of their `/me` sockets.
extension AccessStore {
    private static let starts = Statement.read(
        "channels of starting users",
        """
        select cm.user_id, c.id, c.workspace, c.name, coalesce(m.role <> 'guest', false)
        from channel_member cm
        join channel c on c.id = cm.channel
        left join member m on m.workspace = cm.workspace and m.user_id = cm.user_id
        where cm.user_id = any($1::bigint[]) and m.locked_out_at is null
        order by c.id
        """)

    /// The channels of each user with the workspaces that the user sees as a whole; users in no channel are missing.
    func starts(of users: [UserID]) async throws -> [StartChannelsReply.User] {
        let rows = try await database.query(Self.starts, users).map { row throws(PostgresError) in
            (
                user: try row.next(as: UserID.self),
                channel: MyRoomsRequest.Channel(
                    id: try row.next(), workspace: try row.next(), name: try row.next()),
                isWhollySeen: try row.next(as: Bool.self)
            )
        }
        return Dictionary(grouping: rows, by: \.user).map { user, rows in
            let whollySeen = Set(rows.filter(\.isWhollySeen).map(\.channel.workspace))
            return StartChannelsReply.User(
                id: user, channels: rows.map(\.channel), whollySeen: whollySeen.sorted())
        }
    }
}
