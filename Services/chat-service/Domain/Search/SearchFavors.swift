import Contract
import Wire

/// The rooms and threads that raise the points of their matches in `best`. The cursors of later pages have those of the first one: a
/// match that is deleted meanwhile, or a thread that is followed meanwhile, moves no other match from page to page.
struct SearchFavors: Sendable, Hashable {
    /// The root of a thread.
    struct Thread: Sendable, Hashable {
        let room: RoomID
        let root: Int64
    }

    /// Channels in which the user wrote one of the matches.
    let rooms: [RoomID]
    /// Threads of the matches that the user follows.
    let threads: [Thread]

    /// The most rooms, and the most threads: those of the newest matches. A cursor is part of a URL.
    static let most = 16

    /// - Parameters:
    ///   - matches: newest first.
    ///   - followed: those of the threads of the matches that the user follows.
    init(of matches: [SearchMatch], for user: UserID, following followed: Set<MessageKey>) {
        let messages = matches.map(\.message)
        rooms = Self.first(messages.filter { $0.author == user && $0.room.kind == .channel }.map(\.room))
        threads = Self.first(
            messages.map(\.threadKey).filter(followed.contains).map { Thread(room: $0.room, root: $0.seq) })
    }

    private static func first<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var known: Set<Element> = []
        return Array(elements.filter { known.insert($0).inserted }.prefix(most))
    }
}

extension SearchFavors {
    /// Reads `<room>_<room>~<room>-<root>_<room>-<root>`; nil for any other text.
    init?(_ text: Substring) {
        let lists = text.split(separator: "~", omittingEmptySubsequences: false).map { $0.split(separator: "_") }
        guard lists.count == 2, lists.allSatisfy({ $0.count <= Self.most }) else { return nil }
        rooms = lists[0].compactMap { RoomID(String($0)) }
        threads = lists[1].compactMap { Thread($0) }
        guard rooms.count == lists[0].count, threads.count == lists[1].count else { return nil }
    }

    /// Has no character that a URL escapes.
    var text: String {
        let threads = threads.map { "\($0.room)-\($0.root)" }
        return rooms.map(\.description).joined(separator: "_") + "~" + threads.joined(separator: "_")
    }
}

extension SearchFavors.Thread {
    fileprivate init?(_ text: Substring) {
        guard let dash = text.lastIndex(of: "-"), let room = RoomID(String(text[..<dash])),
            let root = Int64(text[text.index(after: dash)...])
        else { return nil }
        self.init(room: room, root: root)
    }
}
