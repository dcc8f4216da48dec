import Contract
import HTTP
import ServiceKit
import Wire

/// The caller's scheduled messages.
struct ScheduledRoutes: Sendable {
    let rooms: RoomPath
    let messages: ScheduledMessages
    let fileSize: Int

    func register(in routes: inout PublicRoutes) {
        let (all, one) = ("/v1/users/me/scheduled", "/v1/users/me/scheduled/{scheduled_id}")
        let body = BodyLimit.text(SendRequest.maxText)
        let form = BodyLimit.files(SendRequest.maxFiles, of: fileSize, text: SendRequest.maxText)
        routes.native(.post, of: rooms, "/scheduled", body: form, writes: true, schedule)
        routes.native(.get, all, list)
        routes.native(.put, one, body: body, change)
        routes.native(.delete, one, cancel)
    }

    func schedule(_ call: Call, _ caller: Caller, _ room: RoomPath.Room) async throws -> Response {
        let fields = try await call.fields()
        let request = try SendRequest(
            content: try fields.optionalText("content"), files: fields.files("files"),
            clientID: try fields.optionalText("client_id") ?? call.request.headers.text(.idempotencyKey),
            reply: try fields.reply())
        guard let at = try fields.optionalMoment("at") else { throw Failure.invalid("at is required.") }
        return call.created(
            ScheduledView(message: try await messages.schedule(request, at: at, to: room.target, by: caller)))
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        var cursor: ScheduledCursor?
        if let text = try call.query("cursor"), !text.isEmpty {
            cursor = ScheduledCursor(text)
            if cursor == nil { throw Failure.invalid("cursor is not valid.") }
        }
        let page = try await messages.list(of: caller.user, after: cursor, limit: limit)
        return call.reply(capacity: 256 * page.count + 64) { json in
            json.object { json in
                json.field("items", page.map(ScheduledView.init), for: call.profile)
                json.field("next", page.count == limit ? page.last.map { ScheduledCursor($0).description } : nil)
            }
        }
    }

    /// Changes the members that the body has.
    func change(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let changed = try await messages.change(
            try call.id("scheduled_id"), content: try fields.optionalText("content"),
            at: try fields.optionalMoment("at"), by: caller)
        return call.reply(ScheduledView(message: changed))
    }

    func cancel(_ call: Call, _ caller: Caller) async throws -> Response {
        try await messages.cancel(try call.id("scheduled_id"), by: caller)
        return call.done()
    }
}

/// Writes a scheduled message for its author.
struct ScheduledView: View {
    let message: ScheduledMessage

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("id", message.id, for: profile)
            json.field("workspace_id", message.workspace, for: profile)
            json.field("room", message.room.description)
            json.field("content", message.content)
            json.field("at", message.at)
            json.field("createdAt", message.createdAt)
            json.field("files", message.files)
            if let reply = message.reply {
                json.field("thread", reply.seq)
                if reply.isInTimeline { json.field("toRoom", true) }
            }
            if let clientID = message.clientID { json.field("client_id", clientID) }
            switch message.state {
            case .waiting: json.field("state", "waiting")
            case .sent: json.field("state", "sent")
            case .failed(let refusal):
                json.field("state", "failed")
                json.object("error") { json in
                    json.field("errorCode", refusal.code)
                    json.field("detail", refusal.detail)
                }
            }
        }
    }
}
