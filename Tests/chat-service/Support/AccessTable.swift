/// What every route answers to whom.
enum AccessTable {
    /// Who calls; see `AccessFixture`.
    enum Persona: Int64, CaseIterable, Sendable {
        case anonymous = 0
        case owner = 1
        case member = 2
        /// A member of the workspace who is not in the channel.
        case onlooker = 3
        /// Was in the workspace, its channel and a DM, and has left.
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
    }

    /// Members of the workspace.
    private static let members = ["E13", "E13", "E13", "ok", "ok", "ok"]
    /// Those in the room.
    private static let inside = ["E13", "E13", "E13", "E13", "ok", "ok"]

    private static let text = #"{"content":"hello"}"#
    private static let position = #"{"seq":0}"#

    static let rows: [Row] =
        ["{name}", "{channel_id}"].flatMap { channel in
            let (path, key) = ("/v1/workspaces/{id}/channels/\(channel)", channel == "{name}" ? "sooda" : "gen-2024-07")
            return [
                row("POST \(path)/chats", inside, key: key, json: text),
                // Reading joins.
                row("GET \(path)/chats", members, key: key),
                row("GET \(path)/unreads", inside, key: key),
                row("PUT \(path)/read", inside, key: key, json: position),
            ]
        } + [
            row("GET /v1/workspaces/{id}/rooms", members),
            row("GET /v1/workspaces/{id}/dms", members),
            row("POST /v1/workspaces/{id}/dms", members, json: #"{"opponent_id":"\#(AccessFixture.friend)"}"#),
            row("GET /v1/workspaces/{id}/dms/{opponent_id}/chats", members, key: "sooda"),
            row("POST /v1/workspaces/{id}/dms/{room_id}/chats", inside, json: text),
            row("GET /v1/workspaces/{id}/dms/{room_id}/chats", inside),
            row("GET /v1/workspaces/{id}/dms/{room_id}/unreads", inside),
            row("PUT /v1/workspaces/{id}/dms/{room_id}/read", inside, json: position),
            row("GET /v1/static/channelChats/{name}", inside),
            row("GET /v1/static/dmChats/{name}", inside),
        ]

    private static func row(
        _ route: String, _ answers: [String], key: String = "gen-2024-07", json: String? = nil
    ) -> Row {
        Row(route: route, answers: answers, key: key, json: json)
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
}
