import Wire

/// The members of a room and their nicknames, ready for looking up mentions.
///
/// Names are equal if they look the same: composed and decomposed Hangul are. Several members may have one nickname.
struct MemberNames: Sendable {
    let users: Set<UserID>
    private var exact: [String: [UserID]] = [:]
    /// By the key that also ignores case.
    private var caseless: [String: [UserID]] = [:]
    /// The lengths of all names in characters, longest first.
    private let lengths: [Int]

    init(_ members: some Sequence<(user: UserID, nickname: String)>) {
        var users: Set<UserID> = []
        var lengths: Set<Int> = []
        for (user, nickname) in members {
            users.insert(user)
            guard !nickname.isEmpty else { continue }
            exact[nickname, default: []].append(user)
            caseless[nickname.caselessKey, default: []].append(user)
            lengths.insert(nickname.count)
        }
        self.users = users
        self.lengths = lengths.sorted(by: >)
    }

    /// The members with the longest nickname that the text begins with, and the length of that name in characters. A name
    /// in the same case goes before one in another case.
    func longest(at text: ArraySlice<Character>) -> (users: [UserID], length: Int)? {
        for length in lengths where length <= text.count {
            let name = String(text.prefix(length))
            if let users = exact[name] ?? caseless[name.caselessKey] { return (users, length) }
        }
        return nil
    }
}
