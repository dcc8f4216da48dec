import Contract
import HTTP
import ServiceKit
import Wire

/// Members of workspaces: invite, list, remove, leave, transfer ownership.
struct MemberRoutes: Sendable {
    let workspaces: Workspaces
    let queries: WorkspaceQueries
    let invitations: Invitations

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.post, "/v1/workspaces/{id}/members", invite)
        routes.signedIn(.get, "/v1/workspaces/{id}/members", list)
        routes.signedIn(.get, "/v1/workspaces/{id}/members/{user_id}", in: .july2024, one)
        routes.signedIn(.delete, "/v1/workspaces/{id}/members/{user_id}", in: .july2024, remove)
        routes.signedIn(.get, "/v1/workspaces/{id}/leave", in: .january2024, leave)
        routes.signedIn(.get, "/v1/workspaces/{id}/exit", in: .july2024, leave)
        routes.signedIn(.delete, "/v1/workspaces/{id}/exit", in: .july2024, leave)
        routes.signedIn(.put, "/v1/workspaces/{id}/change/admin/{user_id}", in: .january2024, changeAdmin)
        routes.signedIn(.put, "/v1/workspaces/{id}/transfer/ownership", in: .july2024, transferOwnership)
    }

    func invite(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let email = try await call.fields().text("email")
        return call.created(
            try await invitations.invite(email, to: id, by: caller.user, from: call.origin(of: caller)))
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(queries.members(of: try call.id("id"), for: caller.user, call.profile))
    }

    func one(_ call: Call, _ caller: Caller) async throws -> Response {
        call.reply(try await queries.member(try call.member("user_id"), of: try call.id("id"), for: caller.user))
    }

    func remove(_ call: Call, _ caller: Caller) async throws -> Response {
        try await workspaces.remove(
            try call.id("user_id"), from: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.done()
    }

    func leave(_ call: Call, _ caller: Caller) async throws -> Response {
        try await workspaces.leave(try call.id("id"), caller.user, from: call.origin(of: caller))
        return try await call.reply(queries.workspaces(of: caller.user, for: call.profile))
    }

    func changeAdmin(_ call: Call, _ caller: Caller) async throws -> Response {
        let workspace = try await workspaces.transferOwnership(
            of: try call.id("id"), to: try call.id("user_id"), by: caller.user, from: call.origin(of: caller))
        return call.reply(workspace.view())
    }

    func transferOwnership(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let newOwner = try await call.fields().newOwner()
        let workspace = try await workspaces.transferOwnership(
            of: id, to: newOwner, by: caller.user, from: call.origin(of: caller))
        return call.reply(workspace.view())
    }
}

extension Fields {
    /// The new owner of a transfer. One client sends the field as `owner_ship`.
    func newOwner() throws(Failure) -> UserID { try id(hasValue("owner_id") ? "owner_id" : "owner_ship") }
}
