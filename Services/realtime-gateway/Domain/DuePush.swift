import Contract
import Wire

/// A due push, leased to this instance.
struct DuePush: Sendable {
    let room: RoomID
    let seq: Int64
    let device: String
    let user: UserID
    let body: String
    let attempts: Int
    let createdAt: Timestamp
    /// The unread messages that the device shows; nil for a device of an app without the native API.
    var badge: Int?
}

/// The end of a push.
enum PushOutcome: Sendable, Equatable {
    /// The provider has taken it.
    case sent
    /// The provider knows no such device any more, and the device was deleted.
    case deadToken
    /// The provider refused it, or it grew too old.
    case failed
    /// It waited, and meanwhile there was a reason not to send it.
    case withdrawn(PushReason)

    /// As the table keeps it.
    var text: String {
        switch self {
        case .sent: "sent"
        case .deadToken: "dead token"
        case .failed: "failed"
        case .withdrawn(let reason): "withdrawn: \(reason.rawValue)"
        }
    }
}
