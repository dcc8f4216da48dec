import Wire

/// The part of a history that a client asks for.
struct HistoryRequest: Sendable {
    enum Anchor: Sendable {
        case after(Int64)
        case before(Int64)
        /// Strictly after a moment, at millisecond precision.
        case since(Timestamp)
        /// After the time at which the reader joined the room, or from the start if the room has no such time.
        case sinceJoining
    }

    let anchor: Anchor
    /// Messages; nil if the client gave no limit.
    let limit: Int?
    /// Whether it includes the replies that are in their threads alone. A client that knows no threads always gets them.
    let withThreads: Bool

    /// Whether the client has messages already and asks for the ones after them.
    var hasCursor: Bool {
        switch anchor {
        case .after(let seq): seq > 0
        // A client that sends its wall clock shows an event again that its socket has brought.
        case .since, .sinceJoining: true
        case .before: false
        }
    }

    /// The part that the client has seen for certain. A page before a message may begin anywhere.
    var seen: SeenPart {
        switch anchor {
        case .after(let seq): SeenPart(seq: seq)
        // Some clients round their cursor up.
        case .since(let moment): SeenPart(moment: moment + .milliseconds(-1))
        case .before, .sinceJoining: SeenPart()
        }
    }

    /// Whether the client asks for messages after those that it has, instead of a page of older ones.
    var readsOn: Bool { if case .before = anchor { false } else { true } }

    /// The limits that a client may ask for.
    static let limits = 1...500
    /// The limit of a page before a message if the client gave none.
    private static let defaultLimit = 100

    /// The request of a reader who joined the room at a moment.
    func joined(at moment: Timestamp?) -> HistoryRequest {
        guard case .sinceJoining = anchor, let moment else { return self }
        return HistoryRequest(anchor: .since(moment), limit: limit, withThreads: withThreads)
    }

    /// The range in seqs.
    ///
    /// - Parameter seqAt: returns the seq of the last message at or before a moment.
    func range(seqAt: (Timestamp) async throws -> Int64) async throws -> HistoryRange {
        switch anchor {
        case .after(let seq): .after(seq, limit: limit)
        case .before(let seq): .before(seq, limit: limit ?? Self.defaultLimit)
        case .since(let moment): .after(try await seqAt(moment), limit: limit)
        case .sinceJoining: .after(0, limit: limit)
        }
    }
}
