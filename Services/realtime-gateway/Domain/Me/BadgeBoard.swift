import Contract
import EventLoop
import ServiceKit
import Wire

/// Users with possibly changed badges. A message concerns all users of its room; they are looked up when the badges are
/// counted.
struct BadgeQueue {
    private var rooms: Set<RoomID> = []
    private var users: Set<UserID> = []
    private var delays = 0

    /// Attempts that are put off at most while starts of sockets wait.
    static let mostDelays = 20

    var isEmpty: Bool { rooms.isEmpty && users.isEmpty }

    mutating func add(_ room: RoomID) { rooms.insert(room) }

    mutating func add(_ user: UserID) { users.insert(user) }

    /// Whether to count now. While starts wait counting is put off, because each start brings the counts of all rooms.
    mutating func isTime(startsWait: Bool) -> Bool {
        guard startsWait, delays < Self.mostDelays else {
            delays = 0
            return true
        }
        delays += 1
        return false
    }

    /// Takes some users; the others wait for the next call.
    mutating func take(_ most: Int, usersOf: (RoomID) -> [UserID]) -> [UserID] {
        for room in rooms { users.formUnion(usersOf(room)) }
        rooms = []
        let taken = Array(users.prefix(most))
        users.subtract(taken)
        return taken
    }
}

/// Counts the badges of the users with `/me` sockets on a loop and tells the sockets: within a second of a change, and later
/// while there is much to count. Counting takes a fifth of the time at most, so that it does not compete with messages. While
/// starts of sockets wait, it waits for a while as well: they bring the counts of all rooms.
///
/// chat-service counts as it does for pushes, so the numbers are equal everywhere.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class BadgeBoard: @unchecked Sendable {
    private unowned let shard: GatewayShard
    private var queue = BadgeQueue()
    private var isBusy = false
    /// Users with badges in which rooms are missing. They are counted again after a while.
    private var incomplete: Set<UserID> = []

    private static let atOnce = 1000
    private static let firstPause = Duration.milliseconds(250)
    private static let pause = Duration.seconds(1)
    private static let incompletePause = Duration.seconds(5)

    init(of shard: GatewayShard) { self.shard = shard }

    func changed(_ room: RoomID) {
        queue.add(room)
        if !isBusy { count(after: Self.firstPause) }
    }

    func changed(_ user: UserID) {
        queue.add(user)
        if !isBusy { count(after: Self.firstPause) }
    }

    private func count(after pause: Duration) {
        isBusy = true
        shard.loop.schedule(after: pause) { [weak self] in
            guard let self else { return }
            guard queue.isTime(startsWait: shard.limits.starts.isFull) else { return count(after: Self.pause) }
            Task.immediate(executorPreference: shard.loop) { [self] in await count() }
        }
    }

    private func count() async {
        let began = EventLoop.preciseNow
        let users = queue.take(Self.atOnce) { [shard] in shard.rooms[$0]?.meUsers ?? [] }
        do {
            let reply = try await shard.context.chat.badges(of: users)
            if reply.isPartial { countAgainLater(users) }
            for badge in reply.badges {
                let shown = MeBadge(unread: badge.unread, mentions: badge.mentions)
                for socket in shard.me.sockets(of: badge.user) where socket.isReady {
                    if !socket.tell(shown) { queue.add(badge.user) }
                }
            }
        } catch {
            for user in users { queue.add(user) }
        }
        let took = Duration.nanoseconds(Int64(EventLoop.preciseNow - began))
        isBusy = false
        if !queue.isEmpty { count(after: max(Self.pause, took * 4)) }
    }

    /// No event may come when the part of the database returns.
    private func countAgainLater(_ users: [UserID]) {
        let isWaiting = !incomplete.isEmpty
        incomplete.formUnion(users)
        if isWaiting { return }
        shard.loop.schedule(after: Self.incompletePause) { [weak self] in
            guard let self else { return }
            let users = incomplete
            incomplete = []
            for user in users where !shard.me.sockets(of: user).isEmpty { changed(user) }
        }
    }
}
