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
        order by cm.user_id, c.id
        """)

    /// The channels of each user with the workspaces that the user sees as a whole; users in no channel are missing.
    func starts(of users: [UserID]) async throws -> [StartChannelsReply.User] {
        var found: [StartChannelsReply.User] = []
        var (channels, whollySeen): ([MyRoomsRequest.Channel], Set<WorkspaceID>) = ([], [])
        var current: UserID?
        func end() {
            guard let user = current else { return }
            found.append(.init(id: user, channels: channels, whollySeen: whollySeen.sorted()))
        }
        for var row in try await database.query(Self.starts, users) {
            let user: UserID = try row.next()
            if user != current {
                end()
                (channels, whollySeen, current) = ([], [], user)
            }
            let channel = MyRoomsRequest.Channel(id: try row.next(), workspace: try row.next(), name: try row.next())
            channels.append(channel)
            if try row.next() { whollySeen.insert(channel.workspace) }
        }
        end()
        return found
    }
}
