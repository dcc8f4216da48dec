public import Wire

/// How far a session has been sent a room's messages, as Redis knows it: it decides where the session's next socket begins.
public struct SessionCursor: Sendable, Equatable {
    /// A socket of the session that is open, as far as is known.
    public struct Socket: Sendable, Equatable {
        /// `<loop>/<number>`: the gateway loop that the socket lives on, and the socket's number there.
        public let name: String
        /// The seq after which the socket began.
        public let start: Int64?
        /// When it joined.
        public let joined: Timestamp?
        /// The socket may have been sent messages up to here; nil where it is sent everything that its loop sends.
        public let end: Int64?

        /// The gateway loop that the socket lives on.
        public var loop: String { String(name.prefix { $0 != "/" }) }

        public init(name: String, start: Int64?, joined: Timestamp?, end: Int64?) {
            self.name = name
            self.start = start
            self.joined = joined
            self.end = end
        }
    }

    /// The seq up to which the session was sent messages, by history replies or sockets.
    public let seq: Int64?
    /// The seq up to which history replies held messages.
    public let history: Int64?
    /// When the last history reply left; nil where a socket has continued from there.
    public let reported: Timestamp?
    /// The newest socket of the session that has not left.
    public let socket: Socket?
    /// Whether a history reply may be under way.
    public let isBeingRead: Bool

    /// A socket that joined less long ago is taken for alive: its client was a moment ago, so queued messages arrive.
    static let joining = Duration.seconds(3)

    public init(
        seq: Int64? = nil, history: Int64? = nil, reported: Timestamp? = nil, socket: Socket? = nil,
        isBeingRead: Bool = false
    ) {
        self.seq = seq
        self.history = history
        self.reported = reported
        self.socket = socket
        self.isBeingRead = isBeingRead
    }

    /// Whether a history reply left so recently that the session is not expected to ask for another one.
    public func isFresh(within limit: Duration, now: Timestamp = .now) -> Bool {
        reported.map { now - $0 < limit } ?? false
    }
}
