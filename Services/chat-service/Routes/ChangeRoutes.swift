import Contract
import HTTP
import ServiceKit
import Wire

/// Changes of messages: edit, delete, react, pin. Also their results: versions, pins and changes.
struct ChangeRoutes: Sendable {
    let rooms: RoomPath
    let changes: MessageChanges
    let access: RoomAccess

    func register(in routes: inout PublicRoutes) {
        let message = "/chats/{seq}"
        routes.native(.put, of: rooms, message, body: .text(SendRequest.maxText), writes: true, edit)
        routes.native(.delete, of: rooms, message, writes: true, delete)
        routes.native(.get, of: rooms, message, one)
        routes.native(.get, of: rooms, message + "/versions", versions)
        routes.native(.put, of: rooms, message + "/reactions/{emoji}", writes: true, react)
        routes.native(.delete, of: rooms, message + "/reactions/{emoji}", writes: true, unreact)
        routes.native(.put, of: rooms, message + "/pin", writes: true, pin)
        routes.native(.delete, of: rooms, message + "/pin", writes: true, unpin)
        routes.native(.get, of: rooms, "/pins", pins)
        routes.native(.get, of: rooms, "/changes", since)
    }

    // MARK: Changes

    private func edit(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let content = try SendRequest.checked(try await call.fields().text("content"))
        // The body may have outlasted the membership: see `Call.admitted`.
        _ = try await access.target(room.target.room, for: caller.user, writing: true)
        let message = try await changes.edit(try call.seq(), to: content, in: room.target, by: caller.user)
        return call.reply(RoomMessageView(room.target, message))
    }

    private func delete(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let message = try await changes.delete(try call.seq(), in: room.target, by: caller.user) {
            if room.isOwner { return true }
            return try await access.isModerator(caller.user, of: room.target.workspace)
        }
        return call.reply(RoomMessageView(room.target, message))
    }

    private func react(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        try await apply(.react(try call.emoji()), call, caller, room)
    }

    private func unreact(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        try await apply(.unreact(try call.emoji()), call, caller, room)
    }

    private func pin(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        try await apply(.pin, call, caller, room)
    }

    private func unpin(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        try await apply(.unpin, call, caller, room)
    }

    private func apply(
        _ kind: PendingChange.Kind, _ call: Call, _ caller: Caller, _ room: RoomPath.Room
    ) async throws -> Response {
        let message = try await changes.apply(kind, to: try call.seq(), in: room.target, by: caller.user)
        return call.reply(RoomMessageView(room.target, message))
    }

    // MARK: Reading

    private func one(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        call.reply(RoomMessageView(room.target, try await changes.message(try room.key(call), for: caller.user)))
    }

    private func versions(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let limit = try call.listLimit()
        let found = try await changes.versions(
            of: try room.key(call), for: caller.user, after: try call.numericCursor() ?? 0, limit: limit
        ) {
            try await access.isOwner(caller.user, of: room.target.workspace)
        }
        return call.reply { json in
            json.object { json in
                json.array("items") { json in
                    for version in found {
                        json.object { json in
                            json.field("content", version.content)
                            json.field("createdAt", version.writtenAt)
                            json.field("user_id", version.writtenBy, for: call.profile)
                        }
                    }
                }
                json.field("next", found.count == limit ? found.last?.id.description : nil)
            }
        }
    }

    private func pins(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        var cursor = PinCursor.first
        if let text = try call.query("cursor"), !text.isEmpty {
            guard let parsed = PinCursor(text) else { throw Failure.invalid("cursor is not valid.") }
            cursor = parsed
        }
        let page = try await changes.pins(
            of: room.target.key, for: caller.user, before: cursor, limit: try call.listLimit())
        return call.reply { json in
            json.object { json in
                json.field("items", page.messages.map { RoomMessageView(room.target, $0) }, for: call.profile)
                json.field("next", page.next)
            }
        }
    }

    private func since(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let after = Int64(try call.number("after_rev", in: 0...Int.max) ?? 0)
        let limit = try call.number("limit", in: 1...500) ?? 50
        let found = try await changes.changes(of: room.target.key, after: after, limit: limit, for: caller.user)
        return call.reply { json in
            json.object { json in
                json.field("items", found.messages.map { RoomMessageView(room.target, $0) }, for: call.profile)
                json.field("rev", found.rev)
                json.field("complete", found.isComplete)
            }
        }
    }
}

extension Call {
    /// The emoji of the path; E11 for any other text.
    fileprivate func emoji() throws(Failure) -> Emoji {
        guard let emoji = Emoji(try text("emoji")) else { throw .invalid("A reaction must be one emoji.") }
        return emoji
    }
}
