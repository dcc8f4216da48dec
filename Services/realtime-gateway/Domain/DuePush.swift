import Contract
import Wire

/// A due push, leased to this instance.
struct DuePush: Sendable {
    let room: RoomID
    let seq: Int64
    let device: String
    let body: String
    let attempts: Int
    let createdAt: Timestamp
    /// The unread messages that the device shows; nil for a device of an app without the native API.
    let badge: Int?
}

/// The end of a push. The raw value is stored.
enum PushOutcome: String, Sendable {
    /// The provider has taken it.
    case sent
    /// The provider knows no such device any more, and the device was deleted.
    case deadToken = "dead token"
    /// The provider refused it, or it grew too old.
    case failed
}
