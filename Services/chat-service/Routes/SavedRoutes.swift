import Contract
import HTTP
import ServiceKit
import Wire

/// The caller's own bookmarks, across rooms.
struct SavedRoutes: Sendable {
    let rooms: RoomPath
    let saved: SavedMessages

    func register(in routes: inout PublicRoutes) {
        for kind in RoomPath.Kind.allCases {
            let path = kind.template + "/chats/{seq}/saved"
            routes.native(.put, path) { call, caller in
                let room = try await rooms.room(kind, of: call, caller, writing: false)
                let message = try await saved.save(try room.key(call), for: caller.user)
                return call.reply(RoomMessageView(room.target, message))
            }
            routes.native(.delete, path) { call, caller in
                let room = try await rooms.room(kind, of: call, caller, writing: false)
                let message = try await saved.forget(try room.key(call), for: caller.user)
                return call.reply(RoomMessageView(room.target, message))
            }
        }
        routes.native(.get, "/v1/users/me/saved", list)
    }

    private func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let (items, next) = try await saved.list(
            caller.user, before: try call.numericCursor(), limit: try call.listLimit())
        return call.reply { json in
            json.object { json in
                json.array("items") { json in
                    for item in items {
                        json.object { json in
                            json.field("room", item.room.description)
                            json.field(
                                "message",
                                RoomMessageView(room: item.room, name: item.name, message: item.message),
                                for: call.profile)
                            json.field("savedAt", item.savedAt)
                        }
                    }
                }
                json.field("next", next?.description)
            }
        }
    }
}
