import Contract
import Wire

/// The identifier of a scheduled message.
typealias ScheduledID = ID<ScheduledMessage>

/// A message that is to be sent later.
struct ScheduledMessage: Sendable, Equatable {
    /// The error for the author if the message cannot be sent.
    struct Refusal: Sendable, Equatable {
        let code: String
        let detail: String
    }

    enum State: Sendable, Equatable {
        case waiting
        case failed(Refusal)
        /// Only the reply to a repeated call shows it.
        case sent
    }

    let id: ScheduledID
    let author: UserID
    /// The session that scheduled it.
    let session: SessionID
    let workspace: WorkspaceID
    let room: RoomID
    let content: String
    /// The paths of its files, which are stored already.
    let files: [String]
    /// Nil for a message outside of threads.
    let reply: ReplyRequest?
    /// The name that the client gave the call that scheduled it.
    let clientID: String?
    let at: Timestamp
    let createdAt: Timestamp
    let state: State

    /// The idempotency key of the send. A repeated send of the same scheduled message is one message.
    var sendID: String { "scheduled:\(id)" }
}

/// The limits of scheduled messages.
struct SchedulingLimits: Sendable {
    /// The largest number of scheduled messages of a user.
    let ofUser: Int
    /// The longest time until a message is sent.
    let ahead: Duration

    /// Throws if a message cannot be scheduled for this time.
    func check(_ at: Timestamp, now: Timestamp = .now) throws(Failure) {
        guard at > now else { throw .invalid("at is in the past.") }
        guard at - now <= ahead else { throw .invalid("at is too far ahead.") }
    }
}
