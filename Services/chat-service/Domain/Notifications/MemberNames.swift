import Wire

/// The members of a room and their nicknames, ready for looking up mentions.
///
/// Names are equal if they look the same: composed and decomposed Hangul are. Several members may have one nickname.
struct MemberNames: Sendable {
    let users: Set<UserID>
    private var exact: [String: [UserID]] = [:]
    /// By the key that also ignores case.
    private var caseless: [String: [UserID]] = [:]
    /// The hashes of all beginnings of names, and of whole names. Most signs of a hostile text are dismissed by one look, and
    /// no text costs more than a look for each of its characters and each character of a name.
    private var beginnings: Set<UInt32> = []
    private var wholes: Set<UInt32> = []

    init(_ members: some Sequence<(user: UserID, nickname: String)>) {
        var users: Set<UserID> = []
        for (user, nickname) in members {
            users.insert(user)
            guard !nickname.isEmpty else { continue }
            exact[nickname, default: []].append(user)
            caseless[nickname.caselessKey, default: []].append(user)
            var (beginning, hash) = (Hasher(), UInt32(0))
            for character in nickname {
                hash = beginning.adding(character.caselessHash)
                beginnings.insert(hash)
            }
            wholes.insert(hash)
        }
        self.users = users
    }

    /// The longest nickname at a place of a text, and its members. A name in the same case goes before one in another case.
    func longest(at start: Int, in text: inout MentionText) -> (name: String, users: [UserID], length: Int)? {
        var lengths: [Int] = []
        var beginning = Hasher()
        for index in start..<text.characters.count {
            let hash = beginning.adding(text.caselessHash(at: index))
            guard beginnings.contains(hash) else { break }
            if wholes.contains(hash) { lengths.append(index + 1 - start) }
        }
        for length in lengths.reversed() {
            let name = String(text.characters[start..<start + length])
            if let users = exact[name] ?? caseless[name.caselessKey] { return (name, users, length) }
        }
        return nil
    }
}

/// A text in characters, in which names are looked up.
struct MentionText {
    let characters: [Character]
    /// Computed when first needed; nil before.
    private var hashes: [Int?]

    init(_ text: String) {
        characters = Array(text)
        hashes = Array(repeating: nil, count: characters.count)
    }

    mutating func caselessHash(at index: Int) -> Int {
        if let hash = hashes[index] { return hash }
        let hash = characters[index].caselessHash
        hashes[index] = hash
        return hash
    }
}

extension Character {
    fileprivate var caselessHash: Int { String(self).caselessKey.hashValue }
}

extension Hasher {
    /// The hash of everything so far.
    fileprivate mutating func adding(_ value: Int) -> UInt32 {
        combine(value)
        let all = self
        return UInt32(truncatingIfNeeded: all.finalize())
    }
}
