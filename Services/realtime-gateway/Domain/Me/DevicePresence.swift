import Contract
import EventLoop
import Wire

/// The presence of the users with `/me` sockets on a loop, as the other loops are to be told.
///
/// Sans-I/O. A user stays for a while after the last socket has closed, because clients change networks.
struct DevicePresence {
    private struct User {
        var devices: [MemberID: PresenceState] = [:]
        var told = PresenceState.offline
        /// When the last socket closed.
        var closedAt: UInt64?

        var state: PresenceState { devices.values.max() ?? .offline }
    }

    private var users: [UserID: User] = [:]
    private var changed: Set<UserID> = []
    /// When users were told offline, for a while.
    private var goneAt: [UserID: UInt64] = [:]
    private let grace: UInt64
    private let memory: UInt64

    /// - Parameter memory: how long users that were told offline are remembered.
    init(grace: Duration, memory: Duration = .seconds(60)) {
        self.grace = grace.wholeNanoseconds
        self.memory = memory.wholeNanoseconds
    }

    /// Whether `take` has something to do, now or later.
    var isWaiting: Bool { !changed.isEmpty }

    /// All users that are not offline, as they were told.
    var all: [PresenceHint.Change] {
        users.filter { $0.value.told != .offline }.map { PresenceHint.Change(user: $0.key, state: $0.value.told) }
    }

    /// Users that were told offline a short time ago. After an interruption they are told once more: the other loops may not have
    /// heard of it, and do not take this loop for dead after a short one.
    var gone: [PresenceHint.Change] { goneAt.keys.map { PresenceHint.Change(user: $0, state: .offline) } }

    /// Forgets the users that were told offline long ago.
    mutating func forgetGone(now: UInt64) { goneAt = goneAt.filter { now - min(now, $0.value) < memory } }

    /// A socket has opened, or its state has changed. Without shared presence a user is offline with open sockets.
    mutating func set(_ id: MemberID, of user: UserID, to state: PresenceState) {
        users[user, default: User()].devices[id] = state
        users[user]?.closedAt = nil
        note(user)
    }

    mutating func remove(_ id: MemberID, of user: UserID, now: UInt64) {
        guard users[user]?.devices.removeValue(forKey: id) != nil else { return }
        if users[user]?.devices.isEmpty == true { users[user]?.closedAt = now }
        note(user)
    }

    private mutating func note(_ user: UserID) { changed.insert(user) }

    /// The users to tell of now.
    mutating func take(now: UInt64) -> [PresenceHint.Change] {
        var changes: [PresenceHint.Change] = []
        for id in changed {
            guard var user = users[id] else {
                changed.remove(id)
                continue
            }
            if let closedAt = user.closedAt, now < closedAt + grace { continue }
            changed.remove(id)
            let state = user.state
            if state != user.told {
                changes.append(PresenceHint.Change(user: id, state: state))
                goneAt[id] = state == .offline ? now : nil
            }
            user.told = state
            users[id] = user.devices.isEmpty ? nil : user
        }
        return changes
    }
}
