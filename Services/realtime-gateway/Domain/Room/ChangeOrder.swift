import Contract

/// Brings a room's changes into the order of revisions: drops repeated ones, keeps early ones, and says when to fetch
/// missing ones.
///
/// Sans-I/O. A revision that a later change of the same message supersedes has no event of its own: an event names all
/// revisions that it accounts for. It delivers nothing before `start`, which tells the room's revision when its events
/// began to arrive.
struct ChangeOrder {
    enum Action: Equatable {
        /// The next change in order.
        case deliver(RoomChange)
        /// A revision is missing. It may be on its way from another instance: call `awaited` after a pause.
        case awaitMissing
        /// Ask for changes after this revision, and answer with `fetched` or `fetchFailed`.
        case fetch(after: Int64)
    }

    private enum Repair { case none, awaiting, fetching }

    /// The revision up to which changes were delivered; nil before `start`.
    private(set) var last: Int64?
    /// Changes after `last` by their newest revision.
    private var early: [Int64: RoomChange] = [:]
    /// Revisions after `last` that are accounted for.
    private var known: Set<Int64> = []
    private var repair = Repair.none
    /// The newest revision that was heard of, and the one by the time of the last question.
    private var newest: (heard: Int64, asked: Int64) = (0, 0)
    /// The smallest revision that waited when the fetch under way was asked for.
    private var earliestAsked: Int64?

    /// Changes beyond this number are not kept early: a fetch brings them.
    private static let mostEarly = 1024

    /// The room was at `rev` when its events began to arrive; later changes that arrived meanwhile follow.
    mutating func start(at rev: Int64) -> [Action] {
        guard last == nil else { return [] }
        moveLast(to: rev)
        return advance()
    }

    /// The room has come to `rev`, and no member needs the changes up to there.
    mutating func skip(to rev: Int64) {
        repair = .none
        moveLast(to: max(last ?? 0, rev))
    }

    /// A change arrived, perhaps not for the first time.
    mutating func published(_ change: RoomChange) -> [Action] {
        newest.heard = max(newest.heard, change.rev)
        guard change.rev > last ?? 0, early.count < Self.mostEarly else { return [] }
        early[change.rev] = change
        for rev in change.revs where rev > last ?? 0 { known.insert(rev) }
        return last == nil ? [] : advance()
    }

    /// The room's revision is at least `rev`, as chat-service reports after events may have been lost.
    mutating func compared(rev: Int64) -> [Action] {
        newest.heard = max(newest.heard, rev)
        guard let last, rev > last, repair != .fetching else { return [] }
        return [fetch(after: last)]
    }

    /// The pause after `awaitMissing` is over.
    mutating func awaited() -> [Action] {
        guard repair == .awaiting, let last else { return [] }
        repair = .none
        return known.isEmpty ? [] : [fetch(after: last)]
    }

    /// The answer to `fetch`: the changes after the revision in order, the revision up to which they are all, and the
    /// room's revision.
    mutating func fetched(_ changes: [RoomChange], through rev: Int64, head: Int64) -> [Action] {
        repair = .none
        guard let before = last else { return [] }
        let news = changes.filter { $0.rev > before && $0.rev <= rev }
        let last = max(before, rev)
        moveLast(to: last)
        let actions = news.map(Action.deliver)
        if head > last { return actions + [fetch(after: last)] }
        // chat-service has lost a revision that was known before the question. Another question right away would bring
        // the same answer.
        let isUnknown = earliestAsked.map { $0 > head } ?? false
        var all = actions + advance(awaitsMissing: !isUnknown)
        // The answer may be older than a revision that was heard of meanwhile.
        if repair == .none, let last = self.last, newest.heard > max(last, newest.asked) {
            all.append(fetch(after: last))
        }
        return all
    }

    /// There was no answer. The next event or comparison asks again.
    mutating func fetchFailed() { repair = .none }

    private mutating func moveLast(to rev: Int64) {
        last = rev
        early = early.filter { $0.key > rev }
        known = known.filter { $0 > rev }
    }

    private mutating func fetch(after last: Int64) -> Action {
        repair = .fetching
        newest.asked = newest.heard
        earliestAsked = known.min()
        return .fetch(after: last)
    }

    private mutating func advance(awaitsMissing: Bool = true) -> [Action] {
        guard var last else { return [] }
        var actions: [Action] = []
        while known.remove(last + 1) != nil {
            last += 1
            if let change = early.removeValue(forKey: last) { actions.append(.deliver(change)) }
        }
        self.last = last
        if awaitsMissing, !known.isEmpty, repair == .none {
            repair = .awaiting
            actions.append(.awaitMissing)
        }
        return actions
    }
}
