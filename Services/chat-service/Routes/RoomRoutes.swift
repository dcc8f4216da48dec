import Contract
import HTTP
import ServiceKit
import Wire

/// What gateways ask of rooms.
struct RoomRoutes: Sendable {
    let messages: MessageStore
    let dms: DMStore
    let events: RoomEvents

    private static let largestPage = 500

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, "/internal/rooms/{room}/messages", since)
        routes.add(.post, "/internal/rooms/heads", heads)
        routes.add(.post, "/internal/dms/access", access)
        routes.add(.get, "/internal/workspaces/{id}/dms", ofUser)
    }

    func since(_ call: InternalCall) async throws -> Response {
        guard let room = RoomID(try call.text("room")) else { throw Failure.notFound }
        let after = max(0, try call.query("after_seq").flatMap(Int64.init) ?? 0)
        let limit = max(1, min(try call.query("limit").flatMap(Int.init) ?? Self.largestPage, Self.largestPage))
        let head = try await messages.head(of: room)
        let found = try await events.messages(of: room, after: after, through: head, limit: limit)
        let expected = min(Int64(limit), max(0, head - after))
        return call.reply(capacity: 512 * found.count + 64) { json in
            json.object { json in
                json.field("complete", Int64(found.count) == expected)
                json.field("head", head)
                json.field("events", found)
            }
        }
    }

    func heads(_ call: InternalCall) async throws -> Response {
        let rooms = try await call.json()["rooms"]?.elements?.compactMap { $0.string.flatMap(RoomID.init) } ?? []
        guard rooms.count <= InternalCall.bulkLimit else { throw Failure.invalid("Too many rooms.") }
        let heads = try await messages.heads(of: rooms)
        return call.reply(capacity: 64 * heads.count) { json in
            json.object { json in
                json.array("heads") { json in
                    for (room, seq) in heads {
                        json.object { json in
                            json.field("room", room.description)
                            json.field("seq", seq)
                        }
                    }
                }
            }
        }
    }

    func access(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        return reply(try await dms.find(try json.ids("rooms"), of: try json.id("user_id")), to: call)
    }

    func ofUser(_ call: InternalCall) async throws -> Response {
        reply(try await dms.list(try call.id("id"), of: try call.queryID("user_id")), to: call)
    }

    private func reply(_ dms: [DM], to call: InternalCall) -> Response {
        call.reply(capacity: 128 * dms.count + 32) { json in
            json.object { json in
                json.array("dms") { json in
                    for dm in dms {
                        json.object { json in
                            json.field("room_id", dm.id.description)
                            json.field("workspace_id", dm.workspace.description)
                            json.field("users", [dm.low.description, dm.high.description])
                            json.field("open", dm.isOpen)
                        }
                    }
                }
            }
        }
    }
}
