/// Who calls, of those whom a table of access tells apart.
public enum Persona: Int64, CaseIterable, Sendable {
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

/// A row of a table of access: what a route answers to whom.
public struct AccessRow: Sendable {
    /// Such as `GET /v1/workspaces/{id}`.
    public let route: String
    /// The API key whose generation has the route.
    public let key: String
    public let json: String?
    private let answers: Answers

    /// What those get who have signed in.
    public struct Answers: Sendable {
        fileprivate let codes: [String]

        /// The code of a refusal, `ok` otherwise, of: stranger, other workspace, ex-member, onlooker, member, owner.
        public init(_ codes: String...) { self.codes = codes }

        /// All members of the workspace may.
        public static let members = Answers("E13", "E13", "E13", "ok", "ok", "ok")
    }

    public init(_ route: String, _ answers: Answers, key: String = "gen-2024-07", json: String? = nil) {
        self.route = route
        self.answers = answers
        self.key = key
        self.json = json
    }

    public var method: String { String(route.prefix { $0 != " " }) }

    /// The path, with `{id}` and the like in it.
    public var path: String { String(route.drop { $0 != " " }.dropFirst()) }

    /// The code that `persona` gets, `ok` where there is none.
    public func answer(to persona: Persona) -> String {
        switch persona {
        case .anonymous: "E02"
        case .stranger: answers.codes[0]
        case .otherWorkspace: answers.codes[1]
        case .exMember: answers.codes[2]
        case .onlooker: answers.codes[3]
        case .member: answers.codes[4]
        case .owner: answers.codes[5]
        }
    }
}
