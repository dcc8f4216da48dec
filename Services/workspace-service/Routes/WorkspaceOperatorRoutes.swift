import Contract
import HTTP
import ServiceKit
import Wire

/// Workspaces and roles for operators, and the audit log of operators.
struct WorkspaceOperatorRoutes: Sendable {
    let workspaces: OperatorWorkspaces

    func register(in routes: inout OperatorRoutes) {
        let workspace = "/operator/workspaces/{id}"
        routes.look("workspaces.find", "/operator/workspaces", find)
        routes.look("workspaces.show", workspace, show)
        routes.act("workspaces.hand-over", .put, workspace + "/owner/{user_id}", handOver)
        routes.act("workspaces.close", .delete, workspace, close)
        routes.look("roles.list", workspace + "/members", listMembers)
        routes.act("roles.set", .put, workspace + "/members/{user_id}/role/{role}", setRole)
        routes.look("bans.list", workspace + "/bans", listBans)
        routes.act("bans.lift", .delete, workspace + "/bans/{user_id}", liftBan)
        routes.look("users.workspaces", "/operator/users/{id}/workspaces", memberships)
        routes.show("/operator/acts", listActs)
        // maructl makes a backup itself: here it only enters the log.
        routes.act("backup", .post, "/operator/backups/{outcome}", noteBackup)
        // So does a change of operators_file: a viewer does not get past this.
        let person = "/operator/operators/{name}"
        routes.act("operators.add", .put, person) { call in call.done() }
        routes.act("operators.rotate", .post, person) { call in call.done() }
        routes.act("operators.remove", .delete, person) { call in call.done() }
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(OperatorActRequest.self, record) }

    /// Writes an entry of the audit log of operators for another service.
    func record(_ request: OperatorActRequest) async throws -> EmptyReply {
        try await workspaces.acts.insert(request.act)
        return EmptyReply()
    }

    func noteBackup(_ call: InternalCall) throws -> Response {
        guard ["begun", "done", "failed"].contains(try call.text("outcome")) else { throw Failure.notFound }
        return call.done()
    }

    // MARK: Workspaces

    func find(_ call: InternalCall) async throws -> Response {
        guard let text = try call.query("text"), !text.isEmpty else { throw Failure.invalid("text is missing.") }
        let found = try await workspaces.store.search(text, limit: OperatorWorkspaces.mostListed)
        return call.list("workspaces", found) { workspace, json in json.workspace(workspace) }
    }

    func show(_ call: InternalCall) async throws -> Response {
        let workspace = try await workspaces.show(try call.id("id"))
        return call.reply { json in json.workspace(workspace) }
    }

    func handOver(_ call: InternalCall) async throws -> Response {
        try await workspaces.handOver(try call.id("id"), to: try call.id("user_id"))
        return call.done()
    }

    func close(_ call: InternalCall) async throws -> Response {
        try await workspaces.close(try call.id("id"))
        return call.done()
    }

    // MARK: Roles

    func listMembers(_ call: InternalCall) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        _ = try await workspaces.show(id)
        let found = try await workspaces.store.members(
            of: id, only: try call.query("role"), limit: OperatorWorkspaces.mostListed)
        return call.list("members", found) { member, json in
            json.object { json in
                json.field("user_id", member.user.description)
                json.field("role", member.role)
                json.field("joinedAt", member.joinedAt)
            }
        }
    }

    func setRole(_ call: InternalCall) async throws -> Response {
        guard let role = WorkspaceRole(rawValue: try call.text("role")), WorkspaceRole.assignable.contains(role) else {
            throw Failure.invalid("The role must be admin, member or guest.")
        }
        try await workspaces.setRole(role, of: try call.id("user_id"), in: try call.id("id"))
        return call.done()
    }

    func listBans(_ call: InternalCall) async throws -> Response {
        let found = try await workspaces.bans(of: try call.id("id"))
        return call.list("bans", found) { ban, json in
            json.object { json in
                json.field("user_id", ban.user.description)
                if let moderator = ban.bannedBy { json.field("bannedBy", moderator.description) }
                json.field("bannedAt", ban.bannedAt)
            }
        }
    }

    func liftBan(_ call: InternalCall) async throws -> Response {
        try await workspaces.liftBan(of: try call.id("user_id"), from: try call.id("id"))
        return call.done()
    }

    func memberships(_ call: InternalCall) async throws -> Response {
        let found = try await workspaces.store.memberships(
            of: try call.id("id"), limit: OperatorWorkspaces.mostListed)
        return call.list("workspaces", found) { membership, json in
            json.object { json in
                json.field("workspace_id", membership.workspace.description)
                json.field("name", membership.name)
                json.field("role", membership.role)
                json.field("joinedAt", membership.joinedAt)
            }
        }
    }

    // MARK: The audit log of operators

    func listActs(_ call: InternalCall) async throws -> Response {
        let limit = try call.number("limit", in: 1...OperatorWorkspaces.mostListed) ?? 50
        let found = try await workspaces.acts.list(
            before: try call.number("cursor", in: 1...Int64.max) ?? .max, operatorName: try call.query("operator"),
            subject: try call.query("subject"), act: try call.query("act"), limit: limit)
        return call.reply(capacity: 8192) { json in
            json.object { json in
                json.array("acts") { json in
                    for (id, act) in found {
                        json.object { json in
                            json.field("entry_id", id.description)
                            json.field("at", act.at)
                            json.field("operator", act.operatorName)
                            json.field("address", act.address)
                            json.field("service", act.service)
                            json.field("act", act.act)
                            json.field("subject", act.subject)
                            json.field("call", act.call)
                            if let outcome = act.outcome { json.field("outcome", outcome) }
                        }
                    }
                }
                if found.count == limit, let last = found.last { json.field("next", last.id.description) }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func workspace(_ workspace: OperatorWorkspace) {
        object { json in
            json.field("workspace_id", workspace.id.description)
            json.field("name", workspace.name)
            if let owner = workspace.owner { json.field("owner_id", owner.description) }
            if let slug = workspace.slug { json.field("slug", slug) }
            json.field("members", workspace.members)
            json.field("channels", workspace.channels)
            json.field("createdAt", workspace.createdAt)
        }
    }
}
