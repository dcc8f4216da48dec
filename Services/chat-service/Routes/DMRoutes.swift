import Contract
import HTTP
import ServiceKit
import Wire

/// Direct messages: open, list, send, read, count what is unread.
struct DMRoutes: Sendable {
    let doors: Doors
    let directMessages: DirectMessages
    let conversations: Conversations
    let fileSize: Int

    func register(in routes: inout PublicRoutes) {
        let (all, room) = ("/v1/workspaces/{id}/dms", "/v1/workspaces/{id}/dms/{room_id}")
        let body = BodyLimit.files(SendRequest.mostFiles, of: fileSize, text: SendRequest.largestText)
        routes.signedIn(.get, all, list)
        routes.signedIn(.post, all, in: .july2024, open)
        routes.signedIn(.post, room + "/chats", body: body, send)
        routes.signedIn(.get, "/v1/workspaces/{id}/dms/{opponent_id}/chats", in: .january2024, historyByOpponent)
        routes.signedIn(.get, room + "/chats", in: .july2024, history)
        routes.signedIn(.get, room + "/unreads", unreads)
        routes.signedIn(.put, room + "/read", read)
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        call.reply(try await directMessages.list(try call.id("id"), of: caller.user))
    }

    func open(_ call: Call, _ caller: Caller) async throws -> Response {
        let workspace: WorkspaceID = try call.id("id")
        let opponent: UserID = try await call.fields().id("opponent_id")
        let dm = try await directMessages.open(caller.user, opponent, in: workspace)
        return call.reply(try await directMessages.view(dm, for: caller.user))
    }

    func send(_ call: Call, _ caller: Caller) async throws -> Response {
        let dm = try await doors.openDM(try call.id("room_id"), of: caller.user, in: try call.id("id"))
        let place = Place(room: dm.room, workspace: dm.workspace, name: nil)
        let message = try await conversations.send(try await call.sendRequest(), to: place, by: caller)
        return call.created(DMView(room: dm.id, message: message))
    }

    func history(_ call: Call, _ caller: Caller) async throws -> Response {
        let (query, profile) = (try HistoryQuery(call), call.profile)
        let dm = try await dm(call, caller)
        return try await call.history(query, of: dm.room, conversations, caller) { message, json in
            json.view(DMView(room: dm.id, message: message), for: profile)
        }
    }

    /// Opens the room when it is new; the messages stand in an object.
    func historyByOpponent(_ call: Call, _ caller: Caller) async throws -> Response {
        let (opponent, workspace): (UserID, WorkspaceID) = (try call.id("opponent_id"), try call.id("id"))
        let query = try HistoryQuery(call)
        let dm = try await directMessages.openOrFind(caller.user, opponent, in: workspace)
        let profile = call.profile
        let opening = #"{"workspace_id":\#(dm.workspace.rawValue),"room_id":\#(dm.id.rawValue),"chats":"#
        return try await call.history(
            query, of: dm.room, conversations, caller, opening: Array(opening.utf8), closing: Array("}".utf8)
        ) { message, json in
            json.view(DMView(room: dm.id, message: message), for: profile)
        }
    }

    func unreads(_ call: Call, _ caller: Caller) async throws -> Response {
        let dm = try await dm(call, caller)
        let count = try await call.unreads(in: dm.room, conversations, caller)
        return call.reply { json in
            json.object { json in
                json.field("room_id", dm.id, for: call.profile)
                json.field("count", count)
            }
        }
    }

    func read(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.moveReadPosition(in: try await dm(call, caller).room, conversations, caller)
    }

    private func dm(_ call: Call, _ caller: Caller) async throws -> DM {
        try await doors.dm(try call.id("room_id"), of: caller.user, in: try call.id("id"))
    }
}
