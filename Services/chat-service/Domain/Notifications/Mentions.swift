import Contract
import Wire

/// The members and groups that a text mentions.
///
/// `@nickname` names the member with the longest nickname that fits. More letters may follow, since Korean particles stick
/// to names: `@민지야`. `<@5>` names the member with this id. `@channel` names all members, and `@here` those present
/// now. An `@` after a Latin letter or a digit begins no mention, because it is part of an address.
struct Mentions: Sendable, Equatable {
    /// Members, each once, in the order in which the text names them first.
    private(set) var users: [UserID] = []
    /// Whether the text names the whole room.
    private(set) var room = false
    /// Whether the text names the present members.
    private(set) var here = false

    static let none = Mentions()

    /// Whether a text may mention anybody. Without that its room's members need not be known.
    static func isPossible(in content: String) -> Bool { content.utf8.contains(UInt8(ascii: "@")) }

    init(users: [UserID] = [], room: Bool = false, here: Bool = false) {
        self.users = users
        self.room = room
        self.here = here
    }

    /// Reads the mentions of a text.
    init(in content: String, among names: MemberNames) {
        guard Self.isPossible(in: content) else { return }
        var text = MentionText(content)
        var found = Found()
        var index = 0
        while index < text.characters.count {
            if let (id, length) = Self.id(at: text.characters[index...]) {
                if names.users.contains(id) { add([id], to: &found) }
                index += length
            } else if text.characters[index] == "@", index == 0 || !text.characters[index - 1].isLatinWord {
                index += 1 + takeName(at: index + 1, of: &text, names, &found)
            } else {
                index += 1
            }
        }
    }

    /// The users that a text names by id, in the room or not.
    static func ids(in content: String) -> Set<UserID> {
        guard isPossible(in: content) else { return [] }
        let text = Array(content)
        var (found, index) = (Set<UserID>(), 0)
        while index < text.count {
            let named = id(at: text[index...])
            if let named { found.insert(named.0) }
            index += named?.length ?? 1
        }
        return found
    }

    /// The names and users that the text has named so far.
    private struct Found {
        var names: Set<String> = []
        var users: Set<UserID> = []
    }

    /// All of them: members in the order in which the text names them, then the groups.
    var list: [MessageMention] {
        users.map { .user($0, nickname: nil) } + (room ? [.room] : []) + (here ? [.here] : [])
    }

    /// Whether a text with these mentions names this member.
    func names(_ user: UserID) -> Bool { room || here || users.contains(user) }

    /// Adds the mention at a place of a text, after its sign. Returns the length of the name; 0 if there is none.
    private mutating func takeName(
        at start: Int, of text: inout MentionText, _ names: MemberNames, _ found: inout Found
    ) -> Int {
        let named = names.longest(at: start, in: &text)
        let rest = text.characters[start...]
        for (word, isRoom) in [("channel", true), ("here", false)] where rest.starts(with: word) {
            let isWhole = rest.dropFirst(word.count).first.map { !$0.isLatinWord } ?? true
            guard isWhole, word.count >= named?.length ?? 0 else { continue }
            if isRoom { room = true } else { here = true }
            return word.count
        }
        guard let named else { return 0 }
        if found.names.insert(named.name).inserted { add(named.users, to: &found) }
        return named.length
    }

    private mutating func add(_ users: [UserID], to found: inout Found) {
        for user in users where found.users.insert(user).inserted { self.users.append(user) }
    }

    /// The id of `<@5>` at the beginning of a text, and the length of the whole.
    private static func id(at text: ArraySlice<Character>) -> (UserID, length: Int)? {
        guard text.starts(with: "<@") else { return nil }
        let digits = text.dropFirst(2).prefix(20).prefix { $0 != ">" }
        let length = digits.count + 3
        guard text.dropFirst(length - 1).first == ">", let id = UserID(String(digits)) else { return nil }
        return (id, length)
    }
}

extension Character {
    /// Whether it is an ASCII letter, digit or underscore.
    fileprivate var isLatinWord: Bool { isASCII && (isLetter || isNumber || self == "_") }
}
