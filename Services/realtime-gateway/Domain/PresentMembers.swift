import Contract
import Wire

/// Finds the members of a room that are present on any gateway: those that are online, and those with a socket of a shipped
/// app in the room, because these apps have no other socket.
///
/// A user is not online if all devices say that their user is away, or if the user does not share presence.
struct PresentMembers: Sendable {
    let online: OnlineStore
    let rooms: Presence

    /// The present users among these.
    ///
    /// - Throws: if Redis does not answer.
    func find(among users: [UserID], in room: RoomID) async throws -> [UserID] {
        async let inRoom = rooms.users(in: room)
        let loops = try await online.states(of: users).values
        let here = await inRoom
        return users.filter { user in here.contains(user) || loops.contains { $0[user] == .online } }
    }
}
