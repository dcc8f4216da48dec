import Contract
import Redis
import ServiceKit
import Wire

/// Makes rows of the messages on the stream of pushes: one for each device of those who are not in the room.
struct PushIntake: Sendable {
    let store: PushStore
    let workspaces: WorkspaceClient
    let chat: ChatClient
    let auth: AuthClient
    let presence: Presence
    let sender: PushSender

    /// Takes an entry; told again, it changes nothing.
    func take(_ entry: RedisStreamEntry) async throws {
        guard let body = entry["body"], let json = try? JSONValue(parsing: body),
            case .message(let message)? = RoomEvent(json)
        else { return }
        let push = PushMessage(message)
        let present = await presence.users(in: message.room)
        var after: UserID?
        repeat {
            let page = try await recipients(of: message, after: after)
            let absent = page.users.filter { $0 != message.body.author.id && !present.contains($0) }
            let devices = try await auth.devices(of: absent)
            if !devices.isEmpty { try await store.insert(message, push, devices, at: .now) }
            after = page.next
        } while after != nil
        sender.wake()
    }

    private func recipients(of message: RoomMessage, after: UserID?) async throws -> (users: [UserID], next: UserID?) {
        if let channel = message.room.channel { return try await workspaces.members(of: channel, after: after) }
        guard let dm = message.room.dm, let room = try await chat.dms([dm], of: message.body.author.id).first else {
            return ([], nil)
        }
        return (room.isOpen ? room.users : [], nil)
    }
}
