import Contract
import ServiceKit
import Wire

/// Asks the services that own them for the members of rooms and for their devices.
struct PushRecipients: Sendable {
    let workspaces: WorkspaceClient
    let chat: ChatClient
    let auth: AuthClient

    /// A page of the members of a message's room, its author included.
    func members(of message: RoomMessage, after: UserID?) async throws -> MembersReply {
        if let channel = message.room.channel {
            return try await workspaces.members(of: channel, on: MembersPage(after: after))
        }
        guard let dm = message.room.dm, let room = try await chat.dms([dm], of: message.body.author.id).first else {
            return MembersReply(users: [], next: nil)
        }
        let users = room.isOpen ? room.users.filter { $0.rawValue > after?.rawValue ?? 0 } : []
        return MembersReply(users: users, next: nil)
    }

    func devices(of users: [UserID]) async throws -> [AuthClient.Device] { try await auth.devices(of: users) }

    /// Why a push that has waited must not be sent: meanwhile its user has left the room, or its device has another user or
    /// none. Nil if it may be sent.
    func objection(to push: DuePush) async throws -> PushReason? {
        async let isMember = isMember(push.user, of: push.room)
        let devices = try await devices(of: [push.user])
        guard try await isMember else { return .left }
        return devices.contains { $0.token == push.device } ? nil : .noDevice
    }

    private func isMember(_ user: UserID, of room: RoomID) async throws -> Bool {
        if let channel = room.channel {
            let page = MembersPage(after: UserID(user.rawValue - 1), limit: 1)
            return try await workspaces.members(of: channel, on: page).users.contains(user)
        }
        guard let dm = room.dm else { return false }
        return try await chat.dms([dm], of: user).contains(where: \.isOpen)
    }
}
