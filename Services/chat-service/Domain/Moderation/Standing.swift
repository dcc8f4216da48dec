import Contract
import Wire

/// The standing of a member of a workspace.
struct Standing: Sendable, Equatable {
    var warnings: Int64 = 0
    var warnedAt: Timestamp?
    /// The member cannot write before this time.
    var mutedUntil: Timestamp?
    /// The member cannot write until an owner or admin of the workspace ends it.
    var isSuspended = false

    /// Throws unless the member may write, edit and react now.
    func requireWriting(at now: Timestamp) throws(Failure) {
        if isSuspended { throw Failure(.notAllowed, "You are suspended in this workspace.") }
        guard let mutedUntil, now < mutedUntil else { return }
        throw Failure(
            .notAllowed, "You are muted in this workspace until \(mutedUntil).", retryAfter: mutedUntil - now)
    }

    /// Whether the member cannot write now.
    func isRestricting(at now: Timestamp) -> Bool { isSuspended || mutedUntil.map { now < $0 } ?? false }
}

/// The restrictions of a workspace on the messages of its members.
struct ModerationRules: Sendable {
    /// The standing of muted and suspended members.
    let restricted: [UserID: Standing]
    let filter: WordFilter

    static let none = ModerationRules(restricted: [:], filter: .empty)

    /// Throws unless the user may write, edit and react now.
    func requireWriting(_ user: UserID, at now: Timestamp = .now) throws(Failure) {
        try restricted[user]?.requireWriting(at: now)
    }
}
