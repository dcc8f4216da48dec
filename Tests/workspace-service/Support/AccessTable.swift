import ServiceSupport

/// The expected answers of every route to each persona of `Fixture`. A persona's user id is its `rawValue`.
enum AccessTable {
    private static let newOwner = #"{"owner_id":"\#(Fixture.newOwner)"}"#

    static let rows: [AccessRow] = [
        .init("POST /v1/workspaces", .anybody),
        .init("GET /v1/workspaces", .anybody),
        .init("GET /v1/workspaces/{id}", .members),
        .init("PUT /v1/workspaces/{id}", .owners, json: #"{"description":"new"}"#),
        .init("DELETE /v1/workspaces/{id}", .owners),
        .init("GET /v1/workspaces/{id}/search", .members),
        .init("POST /v1/workspaces/{id}/members", .owners, json: #"{"email":"\#(Fixture.invitee)@example.com"}"#),
        .init("GET /v1/workspaces/{id}/members", .members),
        .init("GET /v1/workspaces/{id}/members/{user_id}", .members),
        .init("DELETE /v1/workspaces/{id}/members/{user_id}", .owners),
        .init("GET /v1/workspaces/{id}/leave", .leavingWorkspace, key: "sooda"),
        .init("GET /v1/workspaces/{id}/exit", .leavingWorkspace),
        .init("DELETE /v1/workspaces/{id}/exit", .leavingWorkspace),
        .init("PUT /v1/workspaces/{id}/change/admin/{user_id}", .owners, key: "sooda", json: "{}"),
        .init("PUT /v1/workspaces/{id}/transfer/ownership", .owners, json: newOwner),
        .init("POST /v1/workspaces/{id}/channels", .members, json: #"{"name":"new"}"#),
        .init("GET /v1/workspaces/{id}/channels", .members),
        .init("GET /v1/workspaces/{id}/channels/my", .members, key: "sooda"),
        .init("GET /v1/workspaces/{id}/my-channels", .members),
        .init("GET /v1/workspaces/{id}/channels/{name}", .members, key: "sooda"),
        .init("GET /v1/workspaces/{id}/channels/{channel_id}", .members),
        .init("PUT /v1/workspaces/{id}/channels/{name}", .owners, key: "sooda", json: #"{"description":"new"}"#),
        .init("PUT /v1/workspaces/{id}/channels/{channel_id}", .owners, json: #"{"description":"new"}"#),
        .init("DELETE /v1/workspaces/{id}/channels/{name}", .owners, key: "sooda"),
        .init("DELETE /v1/workspaces/{id}/channels/{channel_id}", .owners),
        .init("GET /v1/workspaces/{id}/channels/{name}/members", .members, key: "sooda"),
        .init("GET /v1/workspaces/{id}/channels/{channel_id}/members", .members),
        .init("DELETE /v1/workspaces/{id}/channels/{channel_id}/members/{user_id}", .owners),
        .init("GET /v1/workspaces/{id}/channels/{name}/leave", .leavingChannel, key: "sooda"),
        .init("GET /v1/workspaces/{id}/channels/{channel_id}/exit", .leavingChannel),
        .init("DELETE /v1/workspaces/{id}/channels/{channel_id}/exit", .leavingChannel),
        .init(
            "PUT /v1/workspaces/{id}/channels/{name}/change/admin/{user_id}", .owners, key: "sooda", json: "{}"),
        .init("PUT /v1/workspaces/{id}/channels/{channel_id}/transfer/ownership", .owners, json: newOwner),
        .init("PUT /v1/workspaces/{id}/channels/{channel_id}/members/{user_id}", .owners, key: "native", json: "{}"),
        .init("GET /v1/workspaces/{id}/role", .members, key: "native"),
        .init("GET /v1/workspaces/{id}/roles", .members, key: "native"),
        .init("PUT /v1/workspaces/{id}/members/{user_id}/role", .owners, key: "native", json: #"{"role":"guest"}"#),
        .init("GET /v1/workspaces/{id}/bans", .owners, key: "native"),
        .init("PUT /v1/workspaces/{id}/bans/{user_id}", .owners, key: "native", json: "{}"),
        .init("DELETE /v1/workspaces/{id}/bans/{user_id}", .owners, key: "native"),
        .init("GET /v1/workspaces/{id}/audit", .owners, key: "native"),
        .init("POST /v1/workspaces/{id}/bots", .owners, key: "native", json: #"{"name":"빌드"}"#),
        .init("GET /v1/workspaces/{id}/bots", .owners, key: "native"),
        .init("DELETE /v1/workspaces/{id}/bots/{bot_id}", .owners, key: "native"),
        .init(
            "POST /v1/workspaces/{id}/bots/{bot_id}/tokens", .owners, key: "native",
            json: #"{"name":"t","scopes":["read"]}"#),
        .init("GET /v1/workspaces/{id}/bots/{bot_id}/tokens", .owners, key: "native"),
        .init("POST /v1/workspaces/{id}/bots/{bot_id}/tokens/{token_id}/secret", .owners, key: "native", json: "{}"),
        .init("DELETE /v1/workspaces/{id}/bots/{bot_id}/tokens/{token_id}", .owners, key: "native"),
        .init("POST /v1/workspaces/{id}/invitations", .owners, key: "native", json: "{}"),
        .init("GET /v1/workspaces/{id}/invitations", .owners, key: "native"),
        .init("DELETE /v1/workspaces/{id}/invitations/{invitation_id}", .owners, key: "native"),
        .init("POST /v1/workspaces/invitations/preview", .anybody, key: "native", json: Fixture.token),
        .init("POST /v1/workspaces/invitations/accept", .anybody, key: "native", json: Fixture.token),
        .init("POST /v1/workspaces/{id}/join-requests", .closedToOutsiders, key: "native", json: "{}"),
        .init("GET /v1/workspaces/{id}/join-requests", .owners, key: "native"),
        .init(
            "PUT /v1/workspaces/{id}/join-requests/{user_id}", .owners, key: "native", json: #"{"action":"decline"}"#),
        .init("DELETE /v1/workspaces/{id}/join-requests", .anybody, key: "native"),
        .init("GET /v1/workspaces/{id}/settings", .members, key: "native"),
        .init("PUT /v1/workspaces/{id}/settings", .owners, key: "native", json: #"{"joinRequests":true}"#),
        .init("GET /v1/workspaces/{id}/second-factor", .owners, key: "native"),
        .init("GET /v1/static/workspaces/{name}", .members),
        .init("GET /v1/static/channels/{name}", .members),
        .init("POST /v1/static/workspaces/links", .anybody, json: #"{"paths":["/static/workspaces/w0.png"]}"#),
        .init("POST /v1/static/channels/links", .anybody, json: #"{"paths":["/static/channels/c0.png"]}"#),
    ]
}

extension AccessRow.Answers {
    /// Every signed-in user.
    fileprivate static let anybody = Self("ok", "ok", "ok", "ok", "ok", "ok")
    /// The owner of the workspace or channel.
    fileprivate static let owners = Self("E13", "E13", "E13", "E14", "E14", "ok")
    /// The workspace accepts no requests, and members have no need to ask.
    fileprivate static let closedToOutsiders = Self("E13", "E13", "E13", "E12", "E12", "E12")
    fileprivate static let leavingWorkspace = Self("E13", "E13", "E13", "ok", "ok", "E15")
    fileprivate static let leavingChannel = Self("E13", "E13", "E13", "E13", "ok", "E15")
}

extension AccessRow {
    /// The form that creates a workspace; nil for routes that take JSON.
    func form(name: String) -> Form? {
        route == "POST /v1/workspaces" ? Form(["name": name], image: .png) : nil
    }

    /// The JSON in a fixture.
    func json(_ fixture: Fixture) -> String? { json?.replacing("{number}", with: "\(fixture.number)") }

    /// The path in a fixture.
    func path(_ fixture: Fixture) -> String {
        path
            .replacing("/static/workspaces/{name}", with: "/static/workspaces/w\(fixture.number).png")
            .replacing("/static/channels/{name}", with: "/static/channels/c\(fixture.number).png")
            .replacing("/join-requests/{user_id}", with: "/join-requests/\(Fixture.invitee)")
            .replacing("{invitation_id}", with: "\(fixture.workspace)")
            .replacing("{bot_id}", with: "\(Fixture.bot)").replacing("{token_id}", with: "4")
            .replacing("{id}", with: "\(fixture.workspace)")
            .replacing("{channel_id}", with: "\(fixture.channel)")
            .replacing("{name}", with: "general")
            .replacing("{user_id}", with: "\(Fixture.newOwner)")
    }
}
