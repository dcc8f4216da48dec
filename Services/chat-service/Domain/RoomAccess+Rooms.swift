import Contract
import ServiceKit
import Wire

extension RoomAccess {
    /// Returns the channel if the user owns it, or has a role in the workspace that manages all its channels.
    func managedChannel(
        _ id: ChannelID, in workspace: WorkspaceID, by user: UserID
    ) async throws -> ChannelAccess {
        let found = try await workspaces.access(of: user, channels: [id], workspaces: [workspace])
        guard let channel = found.channels.first, channel.workspace == workspace, let member = found.workspaces.first
        else { throw await refusal(of: user, workspace) }
        guard channel.role == .owner || member.memberRole == .owner || member.memberRole == .admin else {
            throw Failure(
                .notAllowed, "Only the owner of the channel, the owner of the workspace and its admins may do this.")
        }
        return channel
    }

    /// Returns the room if the user is a member of it, for callers that name no workspace.
    ///
    /// - Parameter writing: a DM that one of the two has left can only be read.
    func target(_ room: RoomID, for user: UserID, writing: Bool) async throws -> MessageTarget {
        if let id = room.channel {
            guard let channel = try await cache.access(of: user, to: id) else {
                throw await refusal(of: user, channel: id)
            }
            guard channel.isMember else { throw Failure.notFound }
            return MessageTarget(channel)
        }
        guard let id = room.dm else { throw Failure.notFound }
        guard let dm = try await dms([id], of: user).first else {
            throw await refusal(of: user, try await dms.workspace(of: id, member: user))
        }
        if writing { return MessageTarget(try await openDM(id, of: user, in: dm.workspace)) }
        return MessageTarget(dm)
    }
}
