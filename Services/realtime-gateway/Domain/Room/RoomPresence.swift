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
    /// Departures that Redis has not taken, and when their entries have expired.
    private var unwritten: [Departure: UInt64] = [:]

    private struct Departure: Hashable {
        let user: UserID
        let room: RoomID
    }

    /// More departures are not written again: their entries expire. A connection accepts these at once, and other commands beside them.
    private static let mostDepartures = 8192

    init(_ presence: Presence, of loopName: String, on loop: EventLoop) {
        self.presence = presence
        self.loopName = loopName
        self.loop = loop
    }

    /// The time between two writes of all users.
    var renewal: Duration { presence.times.renewal }

    /// How many departures wait to be written again.
    var unwrittenCount: Int { unwritten.count }

    func enter(_ users: some Sequence<UserID>, _ room: RoomID) { presence.enter(users, room, at: loopName) }

    func leave(_ user: UserID, _ room: RoomID) {
        // The entry was written before this moment, so it expires before.
        let expiry = loop.now + presence.times.lifetime.wholeNanoseconds
        write(Departure(user: user, room: room), expiringAt: expiry)
    }

    private func write(_ departure: Departure, expiringAt expiry: UInt64) {
        Task.immediate(executorPreference: loop) { [self] in
            if await presence.leave(departure.user, departure.room, at: loopName) { return }
            guard unwritten[departure] != nil || unwritten.count < Self.mostDepartures else { return }
            unwritten[departure] = max(expiry, unwritten[departure] ?? 0)
        }
    }

    /// Writes the departures again that Redis has not taken, except of users that have come back and of entries that have expired.
    func leaveAgain(unless isThere: (UserID, RoomID) -> Bool) {
        let departures = unwritten
        unwritten = [:]
        for (departure, expiry) in departures where loop.now < expiry {
            if !isThere(departure.user, departure.room) { write(departure, expiringAt: expiry) }
        }
    }
}
