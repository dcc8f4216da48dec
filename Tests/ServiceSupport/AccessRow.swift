/// The kinds of callers in an access table.
public enum Persona: Int64, CaseIterable, Sendable {
    case anonymous = 0
    case owner = 1
    case member = 2
    /// A member of the workspace, not of the channel.
    case observer = 3
    /// A former member of the workspace, its channel and a DM.
    case exMember = 4
    /// A member and owner of another workspace.
    case otherWorkspace = 5
    /// A user without any workspace.
    case stranger = 6
}

/// A row of an access table: the answers of a route to each kind of caller.
public struct AccessRow: Sendable {
    /// The route, such as `GET /v1/workspaces/{id}`.
    public let route: String
    /// An API key of a generation that has the route.
    public let key: String
    public let json: String?
    private let answers: Answers

    /// The answers to signed-in callers.
    public struct Answers: Sendable {
        fileprivate let codes: [String]

        /// The error code or `ok` for: stranger, other workspace, ex-member, observer, member, owner.
        public init(_ codes: String...) { self.codes = codes }

        /// All members of the workspace have access.
        public static let members = Answers("E13", "E13", "E13", "ok", "ok", "ok")
    }

    public init(_ route: String, _ answers: Answers, key: String = "gen-2024-07", json: String? = nil) {
        self.route = route
        self.answers = answers
        self.key = key
        self.json = json
    }

    public var method: String { String(route.prefix { $0 != " " }) }

    /// The path with placeholders such as `{id}`.
    public var path: String { String(route.drop { $0 != " " }.dropFirst()) }

    /// The error code for `persona`, or `ok`.
    public func answer(to persona: Persona) -> String {
        switch persona {
        case .anonymous: "E02"
        case .stranger: answers.codes[0]
        case .otherWorkspace: answers.codes[1]
        case .exMember: answers.codes[2]
        case .observer: answers.codes[3]
        case .member: answers.codes[4]
        case .owner: answers.codes[5]
        }
    }
}
