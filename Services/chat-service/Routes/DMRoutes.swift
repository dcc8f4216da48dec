import Contract
import HTTP
import ServiceKit
import Wire

/// DMs: open and list rooms; send, list and count messages; move the read marker.
struct DMRoutes: Sendable {
    let access: RoomAccess
    let directMessages: DirectMessages
    let conversations: Conversations
    let fileSize: Int

    func register(in routes: inout PublicRoutes) {
        let (all, room) = ("/v1/workspaces/{id}/dms", "/v1/workspaces/{id}/dms/{room_id}")
        let body = BodyLimit.files(SendRequest.maxFiles, of: fileSize, text: SendRequest.maxText)
        routes.signedIn(.get, all, list)
        routes.signedIn(.post, all, in: .july2024, open)
        routes.signedIn(.post, room + "/chats", body: body, send)
        routes.signedIn(.get, "/v1/workspaces/{id}/dms/{opponent_id}/chats", in: .january2024, historyByOpponent)
        routes.signedIn(.get, room + "/chats", in: .july2024, history)
        routes.signedIn(.get, room + "/unreads", unreads)
        routes.signedIn(.put, room + "/read", read)
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(directMessages.list(try call.id("id"), of: caller.user, for: call.profile))
    }

    func open(_ call: Call, _ caller: Caller) async throws -> Response {
        let workspace: WorkspaceID = try call.id("id")
        let opponent: UserID = try await call.fields().id("opponent_id")
        let dm = try await directMessages.open(caller.user, opponent, in: workspace)
        return call.reply(try await directMessages.view(dm, for: caller.user))
    }

    func send(_ call: Call, _ caller: Caller) async throws -> Response {
        let (id, workspace): (DMID, WorkspaceID) = (try call.id("room_id"), try call.id("id"))
        let (dm, request) = try await call.admitted(
            by: { try await access.openDM(id, of: caller.user, in: workspace) }, reading: call.sendRequest)
        let message = try await conversations.send(request, to: MessageTarget(dm), by: caller)
        return call.created(DMView(room: dm.id, message: message))
    }

    func history(_ call: Call, _ caller: Caller) async throws -> Response {
        let (request, profile) = (try HistoryRequest(call), call.profile)
        let dm = try await dm(call, caller)
        return try await call.history(
            request, of: MessageTarget(dm), conversations, caller, admit: { _ = try await self.dm(call, caller) }
        ) { message, json in
            json.view(DMView(room: dm.id, message: message), for: profile)
        }
    }

    /// Opens the DM if there is none. The messages are a member of an object.
    func historyByOpponent(_ call: Call, _ caller: Caller) async throws -> Response {
        let (opponent, workspace): (UserID, WorkspaceID) = (try call.id("opponent_id"), try call.id("id"))
        let request = try HistoryRequest(call)
        let dm = try await directMessages.findOrOpen(caller.user, opponent, in: workspace)
        let profile = call.profile
        let opening = #"{"workspace_id":\#(dm.workspace.rawValue),"room_id":\#(dm.id.rawValue),"chats":"#
        return try await call.history(
            request, of: MessageTarget(dm), conversations, caller, opening: Array(opening.utf8),
            closing: Array("}".utf8), admit: { _ = try await access.dm(dm.id, of: caller.user, in: workspace) }
        ) { message, json in
            json.view(DMView(room: dm.id, message: message), for: profile)
        }
    }

    func unreads(_ call: Call, _ caller: Caller) async throws -> Response {
        let dm = try await dm(call, caller)
        let count = try await call.unreads(in: MessageTarget(dm).key, conversations, caller)
        return call.reply { json in
            json.object { json in
                json.field("room_id", dm.id, for: call.profile)
                json.field("count", count)
            }
        }
    }

    func read(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.advanceReadMarker(in: MessageTarget(try await dm(call, caller)), conversations, caller)
    }

    private func dm(_ call: Call, _ caller: Caller) async throws -> DM {
        try await access.dm(try call.id("room_id"), of: caller.user, in: try call.id("id"))
    }
}
