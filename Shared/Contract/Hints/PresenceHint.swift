public import Wire

/// Whether a user has a device that is connected, as others see it.
public enum PresenceState: String, Sendable, CaseIterable, Comparable {
    /// No device is connected, or the user does not show it.
    case offline
    /// Devices are connected, and all of them say that their user is away.
    case away
    case online

    public static func < (first: PresenceState, second: PresenceState) -> Bool { first.rank < second.rank }

    private var rank: Int {
        switch self {
        case .offline: 0
        case .away: 1
        case .online: 2
        }
    }
}

/// Changes of presence on one loop of a gateway. An empty hint is a sign of life of the loop.
public struct PresenceHint: Hint {
    public static let redisChannel = "presence"
    /// Changes in one hint.
    public static let mostChanges = 1000

    /// The presence of a user on the loop.
    public struct Change: WireMessage {
        public let user: UserID
        public let state: PresenceState

        public init(user: UserID, state: PresenceState) {
            self.user = user
            self.state = state
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"),
                let state = json.string("state").flatMap(PresenceState.init)
            else { return nil }
            self.init(user: user, state: state)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("state", state.rawValue)
            }
        }
    }

    /// The name of the loop, which no other loop has.
    public let loop: String
    public let changes: [Change]

    public init(loop: String, changes: [Change] = []) {
        self.loop = loop
        self.changes = changes
    }

    public init?(_ json: JSONValue) {
        guard let loop = json.string("loop") else { return nil }
        self.init(loop: loop, changes: json.list("changes"))
    }

    public var sizeHint: Int { 64 + 48 * changes.count }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("loop", loop)
            json.field("changes", changes)
        }
    }
}
