import ServiceSupport

/// The expected answers of every route to each persona of `AccessFixture`.
enum AccessTable {
    private static let text = #"{"content":"hello"}"#
    private static let position = #"{"seq":0}"#

    static let rows: [AccessRow] =
        ofChannel("{name}", key: "sooda") + ofChannel("{channel_id}", key: "gen-2024-07") + ofWorkspace
        + ofNativeRoom("/v1/workspaces/{id}/channels/{channel_id}") + ofNativeRoom("/v1/workspaces/{id}/dms/{room_id}")
        + [.init("GET /v1/users/me/saved", .init("ok", "ok", "ok", "ok", "ok", "ok"), key: "native")]
        + ofNativeRooms + ofNativeUsers + ofWebhooks + ofCommands

    /// The routes of programs, which have no API key.
    static let ofPrograms = [
        "POST /v1/webhooks/incoming/{secret}", "POST /v1/webhooks/answers/{secret}",
    ]

    /// People register no commands, and there is none to run.
    private static let ofCommands: [AccessRow] = {
        let path = "/v1/workspaces/{id}/commands"
        let json = #"{"name":"a","description":"d","url":"https://a.example"}"#
        return [
            .init("POST \(path)", .init("E13", "E13", "E13", "E14", "E14", "E14"), key: "native", json: json),
            .init("GET \(path)", .members, key: "native"),
            .init("DELETE \(path)/{command_id}", .ownerOfWorkspace, key: "native"),
        ]
            + ["channels/{channel_id}", "dms/{room_id}"].map {
                .init("POST /v1/workspaces/{id}/\($0)/commands", .absent, key: "native", json: #"{"name":"a"}"#)
            }
    }()

    private static let ofWebhooks: [AccessRow] = {
        let path = "/v1/workspaces/{id}/channels/{channel_id}/webhooks"
        return [
            .init("POST \(path)", .ownerOfWorkspace, key: "native", json: #"{"name":"build"}"#),
            .init("GET \(path)", .ownerOfWorkspace, key: "native"),
            .init("PUT \(path)/{webhook_id}", .ownerOfWorkspace, key: "native", json: #"{"name":"build"}"#),
            .init("POST \(path)/{webhook_id}/secret", .ownerOfWorkspace, key: "native"),
            .init("DELETE \(path)/{webhook_id}", .ownerOfWorkspace, key: "native"),
        ] + ofSubscriptions
    }()

    private static let ofSubscriptions: [AccessRow] = {
        let path = "/v1/workspaces/{id}/webhooks"
        let one = path + "/{subscription_id}"
        let json = #"{"url":"https://a.example","events":["message"]}"#
        return [
            .init("POST \(path)", .ownerOfWorkspace, key: "native", json: json),
            .init("GET \(path)", .ownerOfWorkspace, key: "native"),
            .init("PUT \(one)", .ownerOfWorkspace, key: "native", json: json),
            .init("POST \(one)/secret", .ownerOfWorkspace, key: "native"),
            .init("DELETE \(one)", .ownerOfWorkspace, key: "native"),
            .init("GET \(one)/deliveries", .ownerOfWorkspace, key: "native"),
            .init("POST \(one)/deliveries/{delivery_id}/replay", .ownerOfWorkspace, key: "native"),
        ]
    }()

    /// The routes of the native API, for a message that does not exist: a member is told so, and nobody else learns it.
    private static func ofNativeRoom(_ room: String) -> [AccessRow] {
        let message = "\(room)/chats/{seq}"
        let ofMessage = [
            "PUT \(message)", "DELETE \(message)", "GET \(message)", "GET \(message)/versions",
            "PUT \(message)/reactions/{emoji}", "DELETE \(message)/reactions/{emoji}", "PUT \(message)/pin",
            "DELETE \(message)/pin", "PUT \(message)/saved", "DELETE \(message)/saved", "GET \(message)/thread",
            "PUT \(message)/thread/follow", "DELETE \(message)/thread/follow",
        ]
        return ofMessage.map { .init($0, .absent, key: "native", json: text) }
            + [.init("PUT \(message)/thread/read", .absent, key: "native", json: position)]
            + ["GET \(room)/pins", "GET \(room)/changes"].map { .init($0, .inside, key: "native") }
    }

    private static func ofChannel(_ segment: String, key: String) -> [AccessRow] {
        let path = "/v1/workspaces/{id}/channels/\(segment)"
        return [
            .init("POST \(path)/chats", .inside, key: key, json: text),
            // Reading joins the channel.
            .init("GET \(path)/chats", .members, key: key),
            .init("GET \(path)/unreads", .inside, key: key),
            .init("PUT \(path)/read", .inside, key: key, json: position),
        ]
    }

    private static let ofWorkspace: [AccessRow] = [
        .init("GET /v1/workspaces/{id}/rooms", .members),
        .init("GET /v1/workspaces/{id}/search", .members, key: "native"),
        .init("GET /v1/workspaces/{id}/find", .members, key: "native"),
        .init("GET /v1/workspaces/{id}/threads", .members, key: "native"),
        .init("GET /v1/workspaces/{id}/mentions", .members, key: "native"),
        .init(
            "POST /v1/reports", .members, key: "native",
            json: #"{"type":"workspace","workspace_id":"3","reason":"spam"}"#),
        .init("GET /v1/workspaces/{id}/reports", .ownerOfWorkspace, key: "native"),
        .init(
            "PUT /v1/workspaces/{id}/reports/{report_id}", .ownerOfWorkspace, key: "native",
            json: #"{"action":"dismiss"}"#),
        .init("GET /v1/workspaces/{id}/standing", .members, key: "native"),
        .init("GET /v1/workspaces/{id}/standings", .ownerOfWorkspace, key: "native"),
        .init("PUT /v1/workspaces/{id}/standings/{user_id}", .ownerOfWorkspace, key: "native", json: "{}"),
        .init("GET /v1/workspaces/{id}/filters", .ownerOfWorkspace, key: "native"),
        .init("PUT /v1/workspaces/{id}/filters", .ownerOfWorkspace, key: "native", json: #"{"items":[]}"#),
        .init("GET /v1/workspaces/{id}/dms", .members),
        .init(
            "POST /v1/workspaces/{id}/dms", .members, json: #"{"opponent_id":"\#(AccessFixture.friend)"}"#),
        .init("GET /v1/workspaces/{id}/dms/{opponent_id}/chats", .members, key: "sooda"),
        .init("POST /v1/workspaces/{id}/dms/{room_id}/chats", .inside, json: text),
        .init("GET /v1/workspaces/{id}/dms/{room_id}/chats", .inside),
        .init("GET /v1/workspaces/{id}/dms/{room_id}/unreads", .inside),
        .init("PUT /v1/workspaces/{id}/dms/{room_id}/read", .inside, json: position),
        .init("GET /v1/static/channelChats/{name}", .inside),
        .init("GET /v1/static/dmChats/{name}", .inside),
        .init("POST /v1/static/channelChats/links", .anybody, json: #"{"paths":[]}"#),
        .init("POST /v1/static/dmChats/links", .anybody, json: #"{"paths":[]}"#),
    ]
}

extension AccessRow.Answers {
    /// Every signed-in user.
    fileprivate static let anybody = Self("ok", "ok", "ok", "ok", "ok", "ok")
    /// Only members of the room.
    static let inside = Self("E13", "E13", "E13", "E13", "ok", "ok")
    /// Only the owner of the workspace. No persona owns it.
    fileprivate static let ownerOfWorkspace = Self("E13", "E13", "E13", "E14", "E14", "E14")
    /// The message does not exist.
    fileprivate static let absent = Self("E13", "E13", "E13", "E13", "E13", "E13")
}
