import Contract
import HTTP
import ServiceKit
import Wire

/// Threads: their replies and followers, and the lists of a user's threads and mentions.
struct ThreadRoutes: Sendable {
    let rooms: RoomPath
    let threads: Threads
    let mentions: MentionInbox

    func register(in routes: inout PublicRoutes) {
        let thread = "/chats/{seq}/thread"
        routes.native(.get, of: rooms, thread, page)
        routes.native(.put, of: rooms, thread + "/follow") { call, caller, room in
            try await threads.setFollowing(true, try room.key(call), by: caller)
            return call.done()
        }
        routes.native(.delete, of: rooms, thread + "/follow") { call, caller, room in
            try await threads.setFollowing(false, try room.key(call), by: caller)
            return call.done()
        }
        routes.native(.put, of: rooms, thread + "/read", read)
        routes.native(.get, "/v1/workspaces/{id}/threads", list)
        routes.native(.get, "/v1/workspaces/{id}/mentions", listMentions)
    }

    private func page(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let after = try call.number("after_seq", in: 0...Int.max) ?? 0
        let page = try await threads.page(
            try room.key(call), for: caller.user, after: Int64(after), limit: try call.listLimit())
        return call.reply { json in
            json.object { json in
                json.field("root", RoomMessageView(room.target, page.root), for: call.profile)
                json.field("items", page.replies.map { RoomMessageView(room.target, $0) }, for: call.profile)
                json.field("next", page.next?.description)
                json.field("following", page.isFollowing)
                json.field("readSeq", page.readSeq)
            }
        }
    }

    private func read(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let seq = Int64(try await call.fields().number("seq"))
        let marker = try await threads.advanceReadMarker(of: caller, in: try room.key(call), to: seq)
        return call.reply { json in json.object { $0.field("seq", marker) } }
    }

    private func list(_ call: Call, _ caller: Caller) async throws -> Response {
        var cursor: ThreadCursor?
        if let text = try call.query("cursor"), !text.isEmpty {
            cursor = ThreadCursor(text)
            if cursor == nil { throw Failure.invalid("cursor is not valid.") }
        }
        let (items, next) = try await threads.list(
            caller.user, in: try call.id("id"), after: cursor, limit: try call.listLimit())
        return call.reply { json in
            json.object { json in
                json.array("items") { json in
                    for item in items { json.object { $0.thread(item, for: call.profile) } }
                }
                json.field("next", next?.text)
            }
        }
    }

    private func listMentions(_ call: Call, _ caller: Caller) async throws -> Response {
        let (items, next) = try await mentions.list(
            caller.user, in: try call.id("id"), before: try call.numericCursor(), limit: try call.listLimit())
        return call.reply { json in
            json.object { json in
                json.array("items") { json in
                    for item in items {
                        json.object { $0.roomMessage(item.message, in: item.room, item.name, for: call.profile) }
                    }
                }
                json.field("next", next?.description)
            }
        }
    }
}

extension JSONWriter {
    /// Appends the members of a followed thread.
    fileprivate mutating func thread(_ item: Threads.Item, for profile: ClientProfile) {
        field("room", item.room.description)
        field("root", RoomMessageView(room: item.room, name: item.name, message: item.root), for: profile)
        field("unreadCount", item.counts.unread)
        field("mentionCount", item.counts.mentions)
        field("readSeq", item.readSeq)
        field("lastReply", RoomMessageView(room: item.room, name: item.name, message: item.last), for: profile)
    }
}
