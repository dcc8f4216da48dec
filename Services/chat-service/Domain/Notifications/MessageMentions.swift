import Contract
import Wire

/// The mentions of a new text, with the members that `@here` reaches.
struct MessageMentions: Sendable, Equatable {
    /// As clients see them.
    let list: [MessageMention]
    /// The members that `@here` reaches; nil for all members, if the present ones are not known.
    let present: [UserID]?
    /// The named members that have blocked the author. The mention does not make them follow a thread.
    let blockers: [UserID]

    static let none = MessageMentions([])

    init(_ list: [MessageMention], present: [UserID]? = [], blockers: [UserID] = []) {
        self.list = list
        self.present = present
        self.blockers = blockers
    }

    var isEmpty: Bool { list.isEmpty }

    /// The numbers in the table of mentions: of named users and of the whole room. The present members are extra.
    var named: [Int64] { list.filter { $0 != .here }.map(\.number) }

    /// The mentions that make members follow a thread.
    var following: [MessageMention] {
        list.filter { mention in
            if case .user(let user, _) = mention { !blockers.contains(user) } else { false }
        }
    }

    /// The further numbers in the table: of the present members that are not named, or that of `@here` for all.
    var reached: [Int64] {
        guard list.contains(.here) else { return [] }
        guard let present else { return [MessageMention.here.number] }
        let named = Set(named)
        return present.map(\.rawValue).filter { !named.contains($0) }
    }
}
