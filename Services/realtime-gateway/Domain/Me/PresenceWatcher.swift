import Wire

/// A `/me` socket that watches the presence of users.
///
/// - Note: `@unchecked Sendable` because only the hub of its loop has it, and the hub is confined to the loop, tasks included.
final class PresenceWatcher: @unchecked Sendable {
    let socket: MeSocket
    var feed = PresenceFeed()
    var asked: Set<UserID> = []
    /// The users of the client's latest question, until it is answered.
    var asking: Set<UserID> = []
    /// Those among `asked` that the user may see.
    var visible: Set<UserID> = []
    /// Counts the client's questions: an answer to an earlier question is ignored.
    var question = 0
    /// Counts the changes of access that may concern the watcher: an answer from before one is outdated.
    var changes = 0
    var isRechecking = false

    init(_ socket: MeSocket) { self.socket = socket }

    /// Whether the client watches a user, or asks to.
    func names(_ user: UserID) -> Bool { asked.contains(user) || asking.contains(user) }

    /// Whether a change of a user's access may change the users that the watcher sees.
    func isConcerned(by user: UserID) -> Bool { socket.user == user || names(user) }
}
