import Contract
import EventLoop
import Wire

/// The presence of the users that sockets of a loop watch, from the hints of all loops of all gateways.
///
/// Sans-I/O. A user has the highest state of all loops. A loop that gives no sign of life for a while is forgotten with its
/// users. Hints that arrive while a user is being read are applied once more, because the answer may be older.
struct PresenceTable {
    struct Change: Equatable {
        let user: UserID
        let state: PresenceState
        let watchers: Set<MemberID>
    }

    private struct Watched {
        /// By loop; without those where the user is offline.
        var states: [String: PresenceState] = [:]
        var watchers: Set<MemberID> = []
        /// Whether the user has been read.
        var isKnown = false

        var state: PresenceState { states.values.max() ?? .offline }
    }

    /// A read that is under way, or several.
    private struct Read {
        var count = 0
        /// The states of hints since.
        var told: [String: PresenceState] = [:]
    }

    private var watched: [UserID: Watched] = [:]
    private var reads: [UserID: Read] = [:]
    /// When each loop was last heard of.
    private var heard: [String: UInt64] = [:]
    /// Whether hints arrive. While they do not, no loop is forgotten.
    private var isHearing = false

    let loopTimeout: UInt64

    init(loopTimeout: Duration) { self.loopTimeout = loopTimeout.wholeNanoseconds }

    var users: [UserID] { Array(watched.keys) }

    func state(of user: UserID) -> PresenceState { watched[user]?.state ?? .offline }

    // MARK: Watchers

    /// Returns the users that have to be read.
    mutating func watch(_ users: some Sequence<UserID>, by watcher: MemberID) -> [UserID] {
        users.filter { user in
            watched[user, default: Watched()].watchers.insert(watcher)
            return watched[user]?.isKnown == false
        }
    }

    mutating func unwatch(_ users: some Sequence<UserID>, by watcher: MemberID) {
        for user in users {
            watched[user]?.watchers.remove(watcher)
            if watched[user]?.watchers.isEmpty == true { watched[user] = nil }
        }
    }

    // MARK: Reads

    mutating func beginRead(_ users: [UserID]) {
        for user in users { reads[user, default: Read()].count += 1 }
    }

    /// The end of a read: the states of the users by loop; nil if it failed.
    mutating func endRead(
        _ users: [UserID], _ found: [String: [UserID: PresenceState]]?, now: UInt64
    ) -> [Change] {
        if let found { for loop in found.keys where heard[loop] == nil { heard[loop] = now } }
        return users.compactMap { user in
            guard var read = reads[user] else { return nil }
            read.count -= 1
            reads[user] = read.count > 0 ? read : nil
            guard let found else { return nil }
            return change(user) { watched in
                watched.isKnown = true
                watched.states = found.compactMapValues { $0[user] }
                for (loop, state) in read.told { watched.states[loop] = state == .offline ? nil : state }
            }
        }
    }

    // MARK: Loops

    /// A loop has told of changes, or given a sign of life.
    mutating func told(_ hint: PresenceHint, now: UInt64) -> [Change] {
        heard[hint.loop] = now
        return hint.changes.compactMap { told in
            reads[told.user]?.told[hint.loop] = told.state
            return change(told.user) { $0.states[hint.loop] = told.state == .offline ? nil : told.state }
        }
    }

    /// Hints arrive again, after some may have been lost.
    mutating func hearAgain(now: UInt64) {
        isHearing = true
        for loop in heard.keys { heard[loop] = now }
    }

    mutating func hearNothing() { isHearing = false }

    /// Forgets the loops that have given no sign of life.
    mutating func forgetSilent(now: UInt64) -> [Change] {
        guard isHearing else { return [] }
        let silent = Set(heard.filter { now - min(now, $0.value) > loopTimeout }.keys)
        if silent.isEmpty { return [] }
        for loop in silent { heard[loop] = nil }
        return watched.keys.compactMap { user in
            change(user) { watched in for loop in silent { watched.states[loop] = nil } }
        }
    }

    private mutating func change(_ user: UserID, _ body: (inout Watched) -> Void) -> Change? {
        guard var entry = watched[user] else { return nil }
        let before = entry.state
        body(&entry)
        watched[user] = entry
        return entry.state == before ? nil : Change(user: user, state: entry.state, watchers: entry.watchers)
    }
}
