import TestSupport
import Wire

/// What every route answers to whom.
enum AccessTable {
    /// Who calls. Each is user `rawValue`; see `Fixture`.
    enum Persona: Int64, CaseIterable, Sendable {
        case anonymous = 0
        case owner = 1
        case member = 2
        /// A member of the workspace who is not in the channel.
        case onlooker = 3
        case exMember = 4
        /// A member and owner of another workspace.
        case otherWorkspace = 5
        /// Somebody with an account and nothing else.
        case stranger = 6
    }

    struct Row: Sendable {
        let route: String
        /// The code of a refusal, `ok` otherwise, of: stranger, other workspace, ex-member, onlooker, member, owner.
        let answers: [String]
        /// The API key whose generation has the route.
        let key: String
        let json: String?
        let form: Form?
    }

    /// Everybody who has signed in.
    private static let anybody = Array(repeating: "ok", count: 6)
    /// Members of the workspace.
    private static let members = ["E13", "E13", "E13", "ok", "ok", "ok"]
    /// The owner, of workspace or channel.
    private static let owners = ["E13", "E13", "E13", "E14", "E14", "ok"]
    private static let leavingWorkspace = ["E13", "E13", "E13", "ok", "ok", "E15"]
    private static let leavingChannel = ["E13", "E13", "E13", "E13", "ok", "E15"]

    private static let heir = #"{"owner_id":"\#(Fixture.heir)"}"#

    static let rows: [Row] = [
        row("POST /v1/workspaces", anybody, form: Form(["name": "NAME"], image: .png)),
        row("GET /v1/workspaces", anybody),
        row("GET /v1/workspaces/{id}", members),
        row("PUT /v1/workspaces/{id}", owners, json: #"{"description":"new"}"#),
        row("DELETE /v1/workspaces/{id}", owners),
        row("GET /v1/workspaces/{id}/search", members),
        row("POST /v1/workspaces/{id}/members", owners, json: #"{"email":"\#(Fixture.invitee)@example.com"}"#),
        row("GET /v1/workspaces/{id}/members", members),
        row("GET /v1/workspaces/{id}/members/{user_id}", members),
        row("GET /v1/workspaces/{id}/leave", leavingWorkspace, key: "sooda"),
        row("GET /v1/workspaces/{id}/exit", leavingWorkspace),
        row("DELETE /v1/workspaces/{id}/exit", leavingWorkspace),
        row("PUT /v1/workspaces/{id}/change/admin/{user_id}", owners, key: "sooda", json: "{}"),
        row("PUT /v1/workspaces/{id}/transfer/ownership", owners, json: heir),
        row("POST /v1/workspaces/{id}/channels", members, json: #"{"name":"new"}"#),
        row("GET /v1/workspaces/{id}/channels", members),
        row("GET /v1/workspaces/{id}/channels/my", members, key: "sooda"),
        row("GET /v1/workspaces/{id}/my-channels", members),
        row("GET /v1/workspaces/{id}/channels/{name}", members, key: "sooda"),
        row("GET /v1/workspaces/{id}/channels/{channel_id}", members),
        row("PUT /v1/workspaces/{id}/channels/{name}", owners, key: "sooda", json: #"{"description":"new"}"#),
        row("PUT /v1/workspaces/{id}/channels/{channel_id}", owners, json: #"{"description":"new"}"#),
        row("DELETE /v1/workspaces/{id}/channels/{name}", owners, key: "sooda"),
        row("DELETE /v1/workspaces/{id}/channels/{channel_id}", owners),
        row("GET /v1/workspaces/{id}/channels/{name}/members", members, key: "sooda"),
        row("GET /v1/workspaces/{id}/channels/{channel_id}/members", members),
        row("GET /v1/workspaces/{id}/channels/{name}/leave", leavingChannel, key: "sooda"),
        row("GET /v1/workspaces/{id}/channels/{channel_id}/exit", leavingChannel),
        row("DELETE /v1/workspaces/{id}/channels/{channel_id}/exit", leavingChannel),
        row(
            "PUT /v1/workspaces/{id}/channels/{name}/change/admin/{user_id}", owners, key: "sooda", json: "{}"),
        row("PUT /v1/workspaces/{id}/channels/{channel_id}/transfer/ownership", owners, json: heir),
        row("GET /v1/static/workspaces/{name}", members),
        row("GET /v1/static/channels/{name}", members),
    ]

    private static func row(
        _ route: String, _ answers: [String], key: String = "gen-2024-07", json: String? = nil, form: Form? = nil
    ) -> Row {
        Row(route: route, answers: answers, key: key, json: json, form: form)
    }
}

extension AccessTable.Row {
    var method: String { String(route.prefix { $0 != " " }) }

    /// The code that `persona` gets, `ok` where there is none.
    func answer(to persona: AccessTable.Persona) -> String {
        switch persona {
        case .anonymous: "E02"
        case .stranger: answers[0]
        case .otherWorkspace: answers[1]
        case .exMember: answers[2]
        case .onlooker: answers[3]
        case .member: answers[4]
        case .owner: answers[5]
        }
    }

    /// The path in a fixture.
    func path(_ fixture: Fixture) -> String {
        String(route.drop { $0 != " " }.dropFirst())
            .replacing("/static/workspaces/{name}", with: "/static/workspaces/w\(fixture.number).png")
            .replacing("/static/channels/{name}", with: "/static/channels/c\(fixture.number).png")
            .replacing("{id}", with: "\(fixture.workspace)")
            .replacing("{channel_id}", with: "\(fixture.channel)")
            .replacing("{name}", with: "general")
            .replacing("{user_id}", with: "\(Fixture.heir)")
    }
}
