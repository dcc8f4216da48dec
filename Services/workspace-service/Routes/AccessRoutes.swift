import Contract
import HTTP
import ServiceKit
import Wire

/// The internal routes for memberships, which other services call.
struct AccessRoutes: Sendable {
    let memberships: Memberships
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
        let channels = try await memberships.access(to: try json.ids("channels") as [ChannelID], for: user)
        let workspaces = try await memberships.access(to: try json.ids("workspaces") as [WorkspaceID], for: user)
        return call.reply { json in
            json.object { json in
                json.field("channels", channels)
                json.field("workspaces", workspaces)
            }
        }
    }

    func byName(_ call: InternalCall) async throws -> Response {
        guard let name = try call.query("name") else { throw Failure.invalid("name is missing.") }
        let found = try await memberships.access(
            toChannelNamed: name, of: try call.id("id"), for: try call.queryID("user_id"))
        return call.reply { $0.value(found) }
    }

    func join(_ call: InternalCall) async throws -> Response {
        let joined = try await memberships.join(try call.id("id"), try await call.json().id("user_id"))
        return call.reply { $0.value(joined) }
    }

    func page(_ call: InternalCall) async throws -> Response {
        let after = try call.number("after", in: 0...Int64.max) ?? 0
        let limit = try call.number("limit", in: 1...InternalCall.bulkLimit) ?? InternalCall.bulkLimit
        let users = try await memberships.members(of: try call.id("id"), after: after, limit: limit)
        return call.reply { json in
            json.object { json in
                json.field("members", users.map(\.description))
                if users.count == limit, let last = users.last { json.field("next", last.description) }
            }
        }
    }

    func ofUser(_ call: InternalCall) async throws -> Response {
        let workspace: WorkspaceID? = try call.query("workspace_id") == nil ? nil : call.queryID("workspace_id")
        let channels = try await memberships.channels(of: try call.id("id"), in: workspace)
        return call.reply { json in json.object { $0.field("channels", channels) } }
    }

    func acquaintances(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        let ids = try await memberships.acquaintances(of: try json.id("user_id"), among: try json.ids("others"))
        return call.reply { json in json.object { $0.field("ids", ids.map(\.description)) } }
    }

    func autoJoin(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        guard let slugs = json["slugs"]?.elements?.map(\.string), slugs.count <= InternalCall.bulkLimit,
            !slugs.contains(nil)
        else { throw Failure.invalid("slugs is not valid.") }
        try await system.join(try json.id("user_id"), slugs: slugs.compactMap { $0 })
        return call.done()
    }
}
