import EventLoop
import Wire

/// The room presence of one loop: writes to Redis the users with a socket in its rooms.
///
/// A departure that Redis has not taken is written again later. The entry would keep pushes from the user until it expires.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class RoomPresence: @unchecked Sendable {
    private let presence: Presence
    private let loopName: String
    private let loop: EventLoop
    private var unwritten: [RoomID: Set<UserID>] = [:]

    /// Departures from more rooms are not written again: their entries expire.
    private static let mostRooms = 10_000

    init(_ presence: Presence, of loopName: String, on loop: EventLoop) {
        self.presence = presence
        self.loopName = loopName
        self.loop = loop
    }

    /// The time between two writes of all users.
    var renewal: Duration { presence.times.renewal }

    func enter(_ users: some Sequence<UserID>, _ room: RoomID) { presence.enter(users, room, at: loopName) }

    func leave(_ user: UserID, _ room: RoomID) {
        Task.immediate(executorPreference: loop) { [self] in
            if await presence.leave(user, room, at: loopName) { return }
            guard unwritten.count < Self.mostRooms else { return }
            unwritten[room, default: []].insert(user)
        }
    }

    /// Writes the departures again that Redis has not taken, except of users that have come back.
    func leaveAgain(unless isThere: (UserID, RoomID) -> Bool) {
        let departures = unwritten
        unwritten = [:]
        for (room, users) in departures {
            for user in users where !isThere(user, room) { leave(user, room) }
        }
    }
}
