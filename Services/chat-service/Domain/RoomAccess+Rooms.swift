import Contract
import ServiceKit
import Wire

extension RoomAccess {
    /// Returns the room if the user is a member of it, for callers that name no workspace.
    ///
    /// - Parameter writing: a DM that one of the two has left can only be read.
    func target(_ room: RoomID, for user: UserID, writing: Bool) async throws -> MessageTarget {
        if let id = room.channel {
            guard let channel = try await cache.access(of: user, to: id), channel.isMember else {
                throw Failure.notFound
            }
            return MessageTarget(channel)
        }
        guard let id = room.dm, let dm = try await dms([id], of: user).first else { throw Failure.notFound }
        if writing { return MessageTarget(try await openDM(id, of: user, in: dm.workspace)) }
        return MessageTarget(dm)
    }
}
