import Contract
import HTTP
import ServiceKit
import Wire

/// What gateways ask of rooms.
struct RoomRoutes: Sendable {
    let messages: MessageStore
    let dms: DMStore
    let doors: Doors
    let events: RoomEvents
    let historyCursors: HistoryCursorStore

    private static let largestPage: Int64 = 500

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, "/internal/rooms/{room}/messages", since)
        routes.add(.post, "/internal/rooms/heads", heads)
        routes.add(.get, "/internal/rooms/{room}/positions/{session}", position)
        routes.add(.post, "/internal/dms/access", access)
        routes.add(.get, "/internal/workspaces/{id}/dms", ofUser)
    }

    func since(_ call: InternalCall) async throws -> Response {
        guard let room = RoomID(try call.text("room")) else { throw Failure.notFound }
        let after = try call.number("after_seq", in: 0...Int64.max) ?? 0
        let limit = try call.number("limit", in: 1...Self.largestPage) ?? Self.largestPage
        // Who does not say what a page may hold takes what is behind it for gone.
        let bytes = try call.number("bytes", in: 1...Int64.max).map { Int($0) } ?? .max
        let page = try await events.page(of: room, after: after, limit: limit, bytes: bytes)
        return call.reply(capacity: 512 * page.events.count + 64) { json in
            json.object { json in
                json.field("complete", page.isComplete)
                json.field("head", page.head)
                json.field("end", page.end)
                json.field("events", page.events)
            }
        }
    }

    func heads(_ call: InternalCall) async throws -> Response {
        guard let asked = try await call.json()["rooms"]?.elements else { throw Failure.invalid("rooms is missing.") }
        let rooms = asked.compactMap { $0.string.flatMap(RoomID.init) }
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

    func position(_ call: InternalCall) async throws -> Response {
        guard let room = RoomID(try call.text("room")) else { throw Failure.notFound }
        let seq = try await historyCursors.find(try call.id("session"), room)
        return call.reply { json in json.object { json in json.field("seq", seq) } }
    }

    func access(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        return reply(try await doors.dms(try json.ids("rooms"), of: try json.id("user_id")), to: call)
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
