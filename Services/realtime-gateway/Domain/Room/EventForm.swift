import Contract
import EventLoop
import WebSocket

/// The form of the events that a socket is sent. Sockets of one form are sent the same bytes.
enum EventForm: UInt8, Hashable, Sendable, CaseIterable {
    case january2024, july2024, native
    /// A `/me` socket: the native message in an object with its room.
    case me

    init(_ form: ClientProfile.Form) {
        switch form {
        case .january2024: self = .january2024
        case .july2024: self = .july2024
        case .native: self = .native
        }
    }

    /// Whether sockets of this form are sent changes of messages.
    var hearsChanges: Bool { rawValue >= EventForm.native.rawValue }
}

/// The rendering of an event that a socket is sent: its form, and whether its user has blocked the author.
struct EventVariant: Hashable, Sendable {
    let form: EventForm
    let isBlocked: Bool
}

/// How broadcasts are rendered.
struct EventRendering: Sendable {
    /// A profile of each form: sockets of one form are sent the same bytes.
    let profiles: [EventForm: ClientProfile]
    /// Where a broadcast is compressed, once for all sockets of a loop.
    let compression: LoopLocal<CompressionPool>

    init(_ profiles: ClientProfiles, compression: LoopLocal<CompressionPool>) {
        var byForm: [EventForm: ClientProfile] = [:]
        for profile in profiles.all {
            byForm[EventForm(profile.form)] = profile
            if profile.form == .native { byForm[.me] = profile }
        }
        self.profiles = byForm
        self.compression = compression
    }
}
