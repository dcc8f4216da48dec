import ServiceSupport

/// What every route answers to whom. Each persona is the user of its `rawValue`; see `Fixture`.
enum AccessTable {
    private static let heir = #"{"owner_id":"\#(Fixture.heir)"}"#

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
        .init("GET /v1/workspaces/{id}/leave", .leavingWorkspace, key: "sooda"),
        .init("GET /v1/workspaces/{id}/exit", .leavingWorkspace),
        .init("DELETE /v1/workspaces/{id}/exit", .leavingWorkspace),
        .init("PUT /v1/workspaces/{id}/change/admin/{user_id}", .owners, key: "sooda", json: "{}"),
        .init("PUT /v1/workspaces/{id}/transfer/ownership", .owners, json: heir),
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
        .init("GET /v1/workspaces/{id}/channels/{name}/leave", .leavingChannel, key: "sooda"),
        .init("GET /v1/workspaces/{id}/channels/{channel_id}/exit", .leavingChannel),
        .init("DELETE /v1/workspaces/{id}/channels/{channel_id}/exit", .leavingChannel),
        .init(
            "PUT /v1/workspaces/{id}/channels/{name}/change/admin/{user_id}", .owners, key: "sooda", json: "{}"),
        .init("PUT /v1/workspaces/{id}/channels/{channel_id}/transfer/ownership", .owners, json: heir),
        .init("GET /v1/static/workspaces/{name}", .members),
        .init("GET /v1/static/channels/{name}", .members),
    ]
}

extension AccessRow.Answers {
    /// Everybody who has signed in.
    fileprivate static let anybody = Self("ok", "ok", "ok", "ok", "ok", "ok")
    /// The owner, of workspace or channel.
    fileprivate static let owners = Self("E13", "E13", "E13", "E14", "E14", "ok")
    fileprivate static let leavingWorkspace = Self("E13", "E13", "E13", "ok", "ok", "E15")
    fileprivate static let leavingChannel = Self("E13", "E13", "E13", "E13", "ok", "E15")
}

extension AccessRow {
    /// What is sent instead of JSON to make a workspace.
    func form(name: String) -> Form? {
        route == "POST /v1/workspaces" ? Form(["name": name], image: .png) : nil
    }

    /// The path in a fixture.
    func path(_ fixture: Fixture) -> String {
        path
            .replacing("/static/workspaces/{name}", with: "/static/workspaces/w\(fixture.number).png")
            .replacing("/static/channels/{name}", with: "/static/channels/c\(fixture.number).png")
            .replacing("{id}", with: "\(fixture.workspace)")
            .replacing("{channel_id}", with: "\(fixture.channel)")
            .replacing("{name}", with: "general")
            .replacing("{user_id}", with: "\(Fixture.heir)")
    }
}
