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
}
