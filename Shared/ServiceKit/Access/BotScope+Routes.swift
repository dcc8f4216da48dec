public import Contract
internal import HTTP

/// The one table of the routes that bots may call. A route that is missing here is not for bots.
extension BotScope {
    /// The scope that a bot needs for a route; nil if bots may not call it.
    static func needed(for method: Method, _ template: String) -> BotScope? {
        routes["\(method.rawValue) \(template)"]
    }

    private static let workspace = "/v1/workspaces/{id}"
    private static let channel = workspace + "/channels/{channel_id}"
    private static let dm = workspace + "/dms/{room_id}"

    private static let routes: [String: BotScope] = {
        var routes: [String: BotScope] = [:]
        func add(_ scope: BotScope, _ path: String, _ methods: Method...) {
            for method in methods { routes["\(method.rawValue) \(path)"] = scope }
        }
        add(.read, "/v1/workspaces", .get)
        add(.read, workspace, .get)
        for list in ["members", "members/{user_id}", "role", "roles", "rooms", "search", "find", "threads", "mentions"]
        {
            add(.read, "\(workspace)/\(list)", .get)
        }
        for list in ["channels", "my-channels", "dms", "channels/{channel_id}", "channels/{channel_id}/members"] {
            add(.read, "\(workspace)/\(list)", .get)
        }
        add(.read, "/v1/users/{id}", .get)
        for folder in ["profiles", "workspaces", "channels", "channelChats", "dmChats"] {
            add(.read, "/v1/static/\(folder)/{name}", .get)
        }
        for room in [channel, dm] {
            let message = room + "/chats/{seq}"
            add(.read, room + "/chats", .get)
            for list in ["unreads", "pins", "changes", "readers"] { add(.read, "\(room)/\(list)", .get) }
            for path in [message, message + "/versions", message + "/thread"] { add(.read, path, .get) }
            add(.write, room + "/chats", .post)
            add(.write, message, .put, .delete)
            add(.write, room + "/read", .put)
            add(.write, message + "/thread/read", .put)
            add(.write, message + "/thread/follow", .put, .delete)
            add(.react, message + "/reactions/{emoji}", .put, .delete)
            add(.manage, message + "/pin", .put, .delete)
        }
        add(.write, workspace + "/dms", .post)
        add(.manage, workspace + "/channels", .post)
        add(.manage, channel, .put, .delete)
        add(.manage, channel + "/members/{user_id}", .put, .delete)
        add(.manage, channel + "/exit", .delete)
        add(.manage, workspace + "/members", .post)
        add(.manage, workspace + "/members/{user_id}", .delete)
        add(.commands, workspace + "/commands", .get, .post)
        add(.commands, workspace + "/commands/{command_id}", .delete)
        return routes
    }()
}

extension Caller {
    /// Throws if the caller is a bot whose token lacks the scope. Nil stands for things that bots may not do.
    public func require(_ scope: BotScope?) throws(Failure) {
        guard let scopes else { return }
        guard let scope else { throw Failure(.notAllowed, "Bots may not do this.") }
        guard scopes.contains(scope) else {
            throw Failure(.notAllowed, "The token needs the scope \(scope.rawValue).")
        }
    }
}
