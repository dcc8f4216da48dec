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
        let text = Array(content)
        var index = 0
        while index < text.count {
            if let (id, length) = Self.id(at: text[index...]) {
                if names.users.contains(id) { add([id]) }
                index += length
            } else if text[index] == "@", index == 0 || !text[index - 1].isLatinWord {
                index += 1 + takeName(at: text[(index + 1)...], names)
            } else {
                index += 1
            }
        }
    }

    /// All of them: members in the order in which the text names them, then the groups.
    var list: [MessageMention] {
        users.map { .user($0, nickname: nil) } + (room ? [.room] : []) + (here ? [.here] : [])
    }

    /// Whether a text with these mentions names this member.
    func names(_ user: UserID) -> Bool { room || here || users.contains(user) }

    /// Adds the mention at the beginning of a text, after its sign. Returns the length of the name; 0 if there is none.
    private mutating func takeName(at text: ArraySlice<Character>, _ names: MemberNames) -> Int {
        let named = names.longest(at: text)
        for (word, isRoom) in [("channel", true), ("here", false)] where text.starts(with: word) {
            let isWhole = text.dropFirst(word.count).first.map { !$0.isLatinWord } ?? true
            guard isWhole, word.count >= named?.length ?? 0 else { continue }
            if isRoom { room = true } else { here = true }
            return word.count
        }
        add(named?.users ?? [])
        return named?.length ?? 0
    }

    private mutating func add(_ users: [UserID]) {
        for user in users where !self.users.contains(user) { self.users.append(user) }
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
