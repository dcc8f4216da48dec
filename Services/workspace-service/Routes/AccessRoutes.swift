import Contract
import HTTP
import ServiceKit
import Wire

/// What other services ask of memberships.
struct AccessRoutes: Sendable {
    let access: AccessStore
    let channels: Channels
    let system: SystemWorkspaces

    func register(in routes: inout InternalRoutes) {
        routes.add(.post, "/internal/access", bulk)
        routes.add(.get, "/internal/workspaces/{id}/channels/by-name", byName)
        routes.add(.post, "/internal/channels/{id}/join", join)
        routes.add(.get, "/internal/channels/{id}/members", page)
        routes.add(.get, "/internal/users/{id}/channels", ofUser)
        routes.add(.post, "/internal/acquaintances", acquaintances)
        routes.add(.post, "/internal/auto-join", autoJoin)
    }

    func bulk(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        let user: UserID = try json.id("user_id")
        let channels = try await access.channels(try json.ids("channels"), for: user)
        let workspaces = try await access.workspaces(try json.ids("workspaces"), for: user)
        return call.reply { json in
            json.object { json in
                json.field("channels", channels)
                json.field("workspaces", workspaces)
            }
        }
    }

    func byName(_ call: InternalCall) async throws -> Response {
        guard let name = try call.query("name") else { throw Failure.invalid("name is missing.") }
        let found = try await access.channel(
            named: name, of: try call.id("id"), for: try call.queryID("user_id"))
        guard let found else { throw Failure.notFound }
        return call.reply { $0.value(found) }
    }

    func join(_ call: InternalCall) async throws -> Response {
        let (id, user): (ChannelID, UserID) = (try call.id("id"), try await call.json().id("user_id"))
        guard let seen = try await access.channels([id], for: user).first else { throw Failure.notFound }
        if seen.isMember { return call.reply { $0.value(seen) } }
        try await channels.join(id, of: seen.workspace, user)
        guard let joined = try await access.channels([id], for: user).first else { throw Failure.notFound }
        return call.reply { $0.value(joined) }
    }

    func page(_ call: InternalCall) async throws -> Response {
        let after = try call.number("after", in: 0...Int64.max) ?? 0
        let limit = try call.number("limit", in: 1...InternalCall.bulkLimit) ?? InternalCall.bulkLimit
        let users = try await access.members(of: try call.id("id"), after: after, limit: limit)
        return call.reply { json in
            json.object { json in
                json.field("members", users.map(\.description))
                if users.count == limit, let last = users.last { json.field("next", last.description) }
            }
        }
    }

    func ofUser(_ call: InternalCall) async throws -> Response {
        let workspace: WorkspaceID? = try call.query("workspace_id") == nil ? nil : call.queryID("workspace_id")
        let channels = try await access.channels(of: try call.id("id"), in: workspace)
        return call.reply { json in json.object { $0.field("channels", channels) } }
    }

    func acquaintances(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        let ids = try await access.acquaintances(of: try json.id("user_id"), among: try json.ids("others"))
        return call.reply { json in json.object { $0.field("ids", ids.map(\.description)) } }
    }

    func autoJoin(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        guard let slugs = json["slugs"]?.elements?.map(\.string), slugs.count <= InternalCall.bulkLimit,
            !slugs.contains(nil)
        else { throw Failure.invalid("slugs is not valid.") }
        try await system.enter(try json.id("user_id"), slugs: slugs.compactMap { $0 })
        return call.done()
    }
}
