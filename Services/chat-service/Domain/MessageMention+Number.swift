import Contract
import Wire

/// Mentions as the tables store them: the number of a user, 0 for the room and -1 for its present members.
extension MessageMention {
    private static let (storedRoom, storedHere): (Int64, Int64) = (0, -1)

    /// The numbers under which a user is mentioned: by name, with the room, and with its present members.
    static func numbers(of user: UserID) -> [Int64] { [user.rawValue, storedRoom, storedHere] }

    init(number: Int64) {
        self =
            switch number {
            case Self.storedRoom: .room
            case Self.storedHere: .here
            default: .user(UserID(number), nickname: nil)
            }
    }

    var number: Int64 {
        switch self {
        case .user(let user, _): user.rawValue
        case .room: Self.storedRoom
        case .here: Self.storedHere
        }
    }
}

extension Sequence<MessageMention> {
    /// The numbers as one text, for a parameter that is a list of lists; nil for none.
    var column: String? { map(\.number).column }
}

extension MessageMentions {
    /// The numbers of `reached` as one text; nil for none.
    var reachedColumn: String? { reached.column }
}

extension [Int64] {
    fileprivate var column: String? { isEmpty ? nil : map(String.init).joined(separator: ",") }
}
