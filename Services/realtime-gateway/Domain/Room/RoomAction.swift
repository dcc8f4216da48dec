import Contract
import Wire

/// An action of a `RoomMachine`. The driver performs actions in order before it hands the machine the next event.
enum RoomAction: Equatable {
    /// Acknowledge the member's join.
    case accept(MemberID)
    /// Queue the message for all live members, by `RoomMachine.broadcast`.
    case broadcast(RoomMessage)
    /// Queue these messages for one socket.
    case send(MemberID, [RoomMessage])

    // Members that catch up: each is answered with its ticket.
    /// Wait until the socket has room: `drained`.
    case awaitRoom(Ticket)
    /// Wait until everything queued has left: `drained`.
    case awaitEmpty(Ticket)
    /// Fetch messages after a seq: `pageFetched`, or `stepFailed`.
    case fetchPage(Ticket, after: Int64)
    /// Write the session's cursor: `cursorWritten`, or `stepFailed`.
    case writeCursor(Ticket, CursorWrite)
    /// Call `retry` after a pause.
    case retryLater(Ticket)
    /// A `/me` socket has been sent all missed messages, and is live.
    case caughtUp(MemberID)

    // The room's messages.
    /// Fetch the head: `headReported`. Repeated until it is known.
    case fetchHead
    /// Compare the head when events may have been lost: `headReported`. With `isLate`, after a pause.
    case compareHead(isLate: Bool)
    /// Fetch missing messages: `backfilled`, or `backfillFailed`.
    case backfill(after: Int64)
    /// Write to Redis that messages up to a seq may be sent: `reserved`.
    case reserve(through: Int64)

    // Changes of messages.
    /// Queue the change for all live members that hear changes, by `RoomMachine.broadcastChange`.
    case broadcastChange(RoomChange)
    /// Queue these changes for one socket.
    case sendChanges(MemberID, [RoomChange])
    /// Call `missingAwaited` after a pause.
    case awaitMissingChanges
    /// Fetch changes after a revision for the room: `changesFetched`, or `changesFailed`.
    case fetchChanges(after: Int64)
    /// Fetch changes after a revision for a member: `missedFetched`, or `missedFailed`.
    case fetchMissed(MemberID, after: Int64)

    // Session cursors.
    /// Read the session's cursor: `cursorRead`, or `cursorUnavailable`.
    case readCursor(MemberID)
    /// Ask chat-service for the room's head, as the cursor cannot be read now: `cursorUnavailable`.
    case askHead(MemberID)
    /// Read it again once it is whole, and from chat-service, until both answer: `lastCursorRead`.
    case readLastCursor(MemberID)
    /// Call `historyTimedOut` after a second.
    case startHistoryTimer(MemberID)
    /// The socket is sent nothing more after `cursor`. Without a claim it was sent nothing at all.
    case releaseCursor(MemberID, cursor: Int64, isClaimed: Bool)

    // Access.
    /// Check whether the member may be here: `accessChecked`, or `accessUnknown` and again.
    case recheck(MemberID)
    /// Check all members: `allRechecked` with the number.
    case recheckAll(UInt64)
    /// Answers about the user's access that are under way are outdated.
    case noteRemoval(UserID)
    /// Take the socket out of the namespace; it is a member no longer.
    case putOut(MemberID)
    /// End the connection; the client comes back.
    case closeSocket(MemberID)
    /// No socket of the user is left here.
    case userLeft(UserID)
}

/// A step of a member that catches up.
struct Ticket: Hashable, Sendable {
    let member: MemberID
    let step: UInt32
}

/// A write of a session's cursor.
enum CursorWrite: Equatable, Sendable {
    /// The socket was sent everything up to `cursor` since `start`, and may be sent messages up to `end`; with nil
    /// everything that its loop reserves.
    case claim(cursor: Int64, start: Int64, end: Int64?)
    /// The client has everything up to here.
    case confirmed(Int64)
}
