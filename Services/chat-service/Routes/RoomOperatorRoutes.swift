import Contract
import HTTP
import ServiceKit
import Wire

/// Rooms for operators.
struct RoomOperatorRoutes: Sendable {
    let rooms: OperatorRoomStore

    func register(in routes: inout OperatorRoutes) { routes.look("rooms.show", "/operator/rooms/{room}", show) }

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
}
