import Contract
import HTTP
import ServiceKit
import Wire

/// Rooms and messages for operators, without texts.
struct RoomOperatorRoutes: Sendable {
    let rooms: OperatorRoomStore
    let messages: OperatorMessageStore

    func register(in routes: inout OperatorRoutes) {
        let room = "/operator/rooms/{room}"
        routes.look("rooms.show", room, show)
        routes.look("messages.show", room + "/messages/{seq}", showMessage)
    }

    func show(_ call: InternalCall) async throws -> Response {
        guard let room = RoomID(try call.text("room")), let found = try await rooms.find(room) else {
            throw Failure.notFound
        }
        return call.reply { json in
            json.object { json in
                json.field("room", room.description)
                json.field("workspace_id", found.workspace.description)
                if let name = found.name { json.field("name", name) }
                json.field("state", found.isClosed ? "closed" : "open")
                json.field("head", found.head)
                json.field("revision", found.revision)
                if found.head > 0 { json.field("lastMessageAt", found.lastAt) }
                if !found.users.isEmpty { json.field("users", found.users.map(\.description)) }
            }
        }
    }

    /// Replies with the times of a message's commit and publishing. `state` is `waiting` while the outbox has to publish it.
    func showMessage(_ call: InternalCall) async throws -> Response {
        guard let room = RoomID(try call.text("room")), let seq = Int64(try call.text("seq")), seq > 0,
            let place = try await rooms.find(room),
            let found = try await messages.find(seq, in: RoomKey(workspace: place.workspace, id: room))
        else { throw Failure.notFound }
        return call.reply { json in
            json.object { json in
                json.field("room", room.description)
                json.field("seq", seq)
                json.field("chat_id", found.id.description)
                json.field("user_id", found.author.description)
                json.field("committedAt", found.committedAt)
                if let at = found.deletedAt { json.field("deletedAt", at) }
                if found.isScheduled { json.field("isScheduled", true) }
                json.field("state", found.publication == .waiting ? "waiting" : "published")
                if case .published(let at) = found.publication { json.field("publishedAt", at) }
            }
        }
    }
}
