import Contract
import Wire

/// An event of a `/me` client, which is acknowledged with its result or with an error.
enum MeCall: Equatable {
    case send(RoomID, content: String, clientID: String, thread: Int64?, toRoom: Bool)
    case read(RoomID, seq: Int64, thread: Int64?)
    case history(RoomID, MeHistoryRequest.Anchor, limit: Int)
    case typing(RoomID, thread: Int64?)
    /// The users to watch from now on, and whether the client's user is away; nil for no change.
    case presence(watching: Set<UserID>?, isAway: Bool?)

    private static let historyLimits = 1...200
    /// As many changes as by HTTP.
    private static let changeLimits = 1...500
    private static let defaultHistory = 50
    private static let mostWatched = 500

    /// - Throws: `unknownRoute` for an unknown event, `invalid` for a malformed argument.
    init(_ name: String, _ argument: JSONValue?) throws(Failure) {
        let json = Argument(json: argument)
        switch name {
        case "send":
            guard let clientID = argument?.string("client_id") else { throw .invalid("client_id is missing.") }
            guard let content = argument?.string("content") else { throw .invalid("content is missing.") }
            let thread = try json.number("thread")
            self = .send(
                try json.room(), content: content, clientID: clientID, thread: thread,
                toRoom: try json.isInTimeline(asReplyTo: thread))
        case "read":
            guard let seq = try json.number("seq") else { throw .invalid("seq is missing.") }
            self = .read(try json.room(), seq: seq, thread: try json.number("thread"))
        case "history":
            let anchor = try json.anchor()
            let limits = if case .afterRev = anchor { Self.changeLimits } else { Self.historyLimits }
            self = .history(try json.room(), anchor, limit: try json.limit(limits))
        case "typing": self = .typing(try json.room(), thread: try json.number("thread"))
        case "presence":
            let (users, isAway) = (try json.users(upTo: Self.mostWatched), try json.isAway())
            guard users != nil || isAway != nil else { throw .invalid("users and state are missing.") }
            self = .presence(watching: users, isAway: isAway)
        default: throw .unknownRoute
        }
    }

    /// The scope that a bot needs.
    var botScope: BotScope {
        switch self {
        case .send, .read, .typing: .write
        case .history, .presence: .read
        }
    }

    private struct Argument {
        let json: JSONValue?

        func room() throws(Failure) -> RoomID {
            guard let room = json?.string("room").flatMap(RoomID.init) else { throw .invalid("room is not valid.") }
            return room
        }

        /// A member that is a number of at least 0; nil if it is missing.
        func number(_ name: StaticString) throws(Failure) -> Int64? {
            guard let value = json?[name], !value.isNull else { return nil }
            guard let number = value.int, number >= 0 else { throw .invalid("\(name) is not valid.") }
            return Int64(number)
        }

        /// Whether a reply is in the timeline too. The same arguments are refused as by HTTP.
        func isInTimeline(asReplyTo thread: Int64?) throws(Failure) -> Bool {
            guard thread != 0 else { throw .invalid("thread must be the seq of a message.") }
            guard let value = json?["toRoom"], !value.isNull else { return false }
            guard let flag = value.bool else { throw .invalid("toRoom must be true or false.") }
            guard !flag || thread != nil else { throw .invalid("toRoom needs a thread.") }
            return flag
        }

        /// The ids of users; nil if they are missing.
        func users(upTo most: Int) throws(Failure) -> Set<UserID>? {
            guard let value = json?["users"], !value.isNull else { return nil }
            guard let texts = value.array(\.string) else { throw .invalid("users is not valid.") }
            guard texts.count <= most else { throw .invalid("users must have at most \(most) elements.") }
            let users = texts.compactMap(UserID.init)
            guard users.count == texts.count else { throw .invalid("users is not valid.") }
            return Set(users)
        }

        /// Whether the state is `away`; nil if it is missing.
        func isAway() throws(Failure) -> Bool? {
            guard let value = json?["state"], !value.isNull else { return nil }
            switch value.string {
            case "active": return false
            case "away": return true
            default: throw .invalid("state is not valid.")
            }
        }

        func anchor() throws(Failure) -> MeHistoryRequest.Anchor {
            let found: [MeHistoryRequest.Anchor] = [
                try number("beforeSeq").map { .beforeSeq($0) }, try number("afterSeq").map { .afterSeq($0) },
                try number("afterRev").map { .afterRev($0) },
            ].compactMap(\.self)
            guard found.count <= 1 else { throw .invalid("Only one of beforeSeq, afterSeq and afterRev is allowed.") }
            return found.first ?? .beforeSeq(.max)
        }

        func limit(_ range: ClosedRange<Int>) throws(Failure) -> Int {
            guard let limit = try number("limit") else { return MeCall.defaultHistory }
            guard range.contains(Int(limit)) else { throw .invalid("limit is out of range.") }
            return Int(limit)
        }
    }
}
