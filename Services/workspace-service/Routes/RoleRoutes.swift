import Contract
import HTTP
import ServiceKit
import Wire

/// Roles and bans, for clients of the native API.
struct RoleRoutes: Sendable {
    let roles: MemberRoles

    func register(in routes: inout PublicRoutes) {
        let workspace = "/v1/workspaces/{id}"
        routes.native(.get, workspace + "/role", own)
        routes.native(.get, workspace + "/roles", list)
        routes.native(.put, workspace + "/members/{user_id}/role", set)
        routes.native(.get, workspace + "/bans", bans)
        routes.native(.put, workspace + "/bans/{user_id}", ban)
        routes.native(.delete, workspace + "/bans/{user_id}", unban)
    }

    func own(_ call: Call, _ caller: Caller) async throws -> Response {
        let (place, actions) = try await roles.own(try call.id("id"), caller.user)
        return call.reply { json in
            json.object { json in
                json.field("role", place.role.rawValue)
                json.field("actions", actions.map(\.rawValue))
                if let due = place.secondFactorDue { json.field("secondFactorDueAt", due) }
            }
        }
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let role = try call.query("role").flatMap { $0.isEmpty ? nil : $0 }.map(WorkspaceRole.init(client:))
        let found = try await roles.list(
            try call.id("id"), only: role, Page(after: try call.placeCursor(), limit: limit), for: caller.user)
        let last = found.count == limit ? found.last?.member : nil
        return call.page(
            found.filter { $0.profile != nil }, next: last.map { "\($0.joinedAt.milliseconds)-\($0.user)" }
        ) { found, json in
            json.object { json in
                if let profile = found.profile { json.field("user", profile, for: call.profile) }
                json.field("role", found.member.role.rawValue)
                json.field("joinedAt", found.member.joinedAt)
            }
        }
    }

    func set(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let fields = try await call.fields()
        let role = try WorkspaceRole(client: try fields.text("role"))
        guard WorkspaceRole.assignable.contains(role) else {
            throw Failure.invalid("To change the owner, transfer the workspace.")
        }
        let channels: [ChannelID]? = fields.hasValue("channels") ? try fields.ids("channels") : nil
        guard channels == nil || role == .guest else { throw Failure.invalid("channels is for the role guest only.") }
        try await roles.set(
            role, of: try call.id("user_id"), in: id, keeping: channels, by: caller.user,
            from: call.origin(of: caller))
        return call.done()
    }

    func bans(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let found = try await roles.bans(
            of: try call.id("id"), Page(before: try call.placeCursor(), limit: limit), for: caller.user)
        let last = found.count == limit ? found.last?.ban : nil
        return call.page(
            found.filter { $0.profile != nil }, next: last.map { "\($0.bannedAt.milliseconds)-\($0.user)" }
        ) { found, json in
            json.object { json in
                if let profile = found.profile { json.field("user", profile, for: call.profile) }
                if let moderator = found.ban.bannedBy { json.field("bannedBy", moderator, for: call.profile) }
                json.field("bannedAt", found.ban.bannedAt)
            }
        }
    }

    func ban(_ call: Call, _ caller: Caller) async throws -> Response {
        try await roles.ban(
            try call.id("user_id"), from: try call.id("id"), by: caller.user, origin: call.origin(of: caller))
        return call.done()
    }

    func unban(_ call: Call, _ caller: Caller) async throws -> Response {
        try await roles.unban(
            try call.id("user_id"), from: try call.id("id"), by: caller.user, origin: call.origin(of: caller))
        return call.done()
    }
}

extension WorkspaceRole {
    /// A role that a client names.
    init(client text: String) throws(Failure) {
        guard let role = WorkspaceRole(rawValue: text), role != .outsider else {
            throw .invalid("role must be owner, admin, member or guest.")
        }
        self = role
    }
}

extension Fields {
    /// A list of ids of channels.
    func ids(_ name: String) throws(Failure) -> [ChannelID] {
        var ids: [ChannelID] = []
        for text in try texts(name, atMost: MemberRoles.mostChannels) {
            guard let id = ChannelID(text) else { throw .invalid("\(name) must be a list of ids.") }
            ids.append(id)
        }
        return ids
    }
}
