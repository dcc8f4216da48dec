import Contract
import HTTP
import ServiceKit
import Wire

/// The caller's own bookmarks, across rooms.
struct SavedRoutes: Sendable {
    let rooms: RoomPath
    let saved: SavedMessages

    func register(in routes: inout PublicRoutes) {
        let path = "/chats/{seq}/saved"
        routes.native(.put, of: rooms, path) { call, caller, room in
            call.reply(RoomMessageView(room.target, try await saved.save(try room.key(call), for: caller.user)))
        }
        routes.native(.delete, of: rooms, path) { call, caller, room in
            call.reply(RoomMessageView(room.target, try await saved.forget(try room.key(call), for: caller.user)))
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
                            json.roomMessage(item.message, in: item.room, item.name, for: call.profile)
                            json.field("savedAt", item.savedAt)
                        }
                    }
                }
                json.field("next", next?.description)
            }
        }
    }
}
