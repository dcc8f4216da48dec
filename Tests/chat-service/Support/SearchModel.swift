import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

/// Messages, rooms, members and blocks as a plain scan sees them.
struct SearchModel {
    struct Message {
        let room: RoomID
        let seq: Int64
        let author: Int64
        var text: String
        /// The names of its files.
        let files: [String]
        let createdAt: Timestamp
        var isDeleted = false
        var hasReaction = false

        var key: String { "\(room) \(seq)" }

        func has(_ trait: String) -> Bool {
            switch trait {
            case "link": text.lowercased().contains("http://") || text.lowercased().contains("https://")
            case "file": !files.isEmpty
            case "image": files.contains { $0.hasSuffix(".png") }
            default: hasReaction
            }
        }
    }

    /// A query and its meaning.
    struct Query {
        var words: [(text: String, isExcluded: Bool)] = []
        /// The number of the word at the end of the query, unless it is a phrase or excluded.
        var wordBeingTyped: Int?
        var authors: (ids: Set<Int64>, isExcluded: Bool)?
        var rooms: (ids: Set<RoomID>, isExcluded: Bool)?
        var trait: (name: String, isExcluded: Bool)?
        var before: Timestamp?
        var after: Timestamp?
        /// As a person types it.
        var typed: [String] = []
        /// Filters as parameters.
        var parameters = ""

        var text: String { typed.joined(separator: " ") }

        func matches(_ message: Message) -> Bool {
            PlainScan.matches(words, [message.text] + message.files, beingTyped: wordBeingTyped)
                && authors.map { $0.ids.contains(message.author) != $0.isExcluded } ?? true
                && rooms.map { $0.ids.contains(message.room) != $0.isExcluded } ?? true
                && trait.map { message.has($0.name) != $0.isExcluded } ?? true
                && message.createdAt < before ?? .latest && message.createdAt >= after ?? .earliest
        }
    }

    var messages: [Message] = []
    /// The members of each room that is open.
    var members: [RoomID: Set<Int64>]
    /// The users that each user has blocked.
    var blocked: [Int64: Set<Int64>] = [:]

    /// The keys of the messages that a query finds for a user, newest first.
    func scan(_ query: Query, for user: Int64) -> [String] {
        messages.filter { message in
            !message.isDeleted && members[message.room]?.contains(user) == true
                && blocked[user]?.contains(message.author) != true && query.matches(message)
        }.sorted { SearchCursor($0).isAfter(SearchCursor($1)) }.reversed().map(\.key)
    }
}

extension SearchCursor {
    fileprivate init(_ message: SearchModel.Message) {
        self.init(createdAt: message.createdAt, room: message.room, seq: message.seq)
    }
}
