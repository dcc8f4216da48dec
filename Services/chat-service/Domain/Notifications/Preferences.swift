import Contract
import ServiceKit
import Wire

/// Reads and changes the settings of users and the notification levels of their rooms.
struct Preferences: Sendable {
    let settings: SettingsStore
    let levels: RoomNotifyStore
    let publisher: UserStatePublisher

    func settings(of user: UserID) async throws -> UserSettings { try await settings.find(user) }

    /// Replaces all settings of the caller.
    func set(_ new: UserSettings, by caller: Caller) async throws {
        if let quiet = new.doNotDisturb {
            guard quiet.from != quiet.to else {
                throw Failure.invalid("doNotDisturb must not begin and end at the same minute.")
            }
            guard try await settings.knows(zone: quiet.zone) else { throw Failure.invalid("zone is unknown.") }
        }
        try await settings.put(new, of: caller.user)
        publisher.publish(.settings, of: caller)
    }

    /// Sets the level and the mute of a room for the caller. The caller must be a member of the room.
    func set(_ notify: RoomNotify, in room: RoomKey, by caller: Caller) async throws {
        if let until = notify.mutedUntil, until <= .now { throw Failure.invalid("mutedUntil is in the past.") }
        try await levels.put(notify, of: caller.user, in: room)
        publisher.publish(.notify, of: caller, in: room.id)
    }
}
