import Contract
import ServiceKit
import Wire

/// What of a room's history a call asks for.
enum HistoryRange: Sendable {
    /// Everything after a message, by its place; from the start at 0.
    case after(Int64, limit: Int?)
    /// The newest before a place.
    case before(Int64, limit: Int)

    private static let limits = 1...500
    private static let usualLimit = 100

    /// Reads `after_seq`, `before_seq`, `limit` and `cursor_date`.
    ///
    /// A cursor is strictly exclusive at millisecond precision, and early by what the profile says.
    init(_ call: Call, in room: RoomID, _ messages: MessageStore) async throws {
        let limit = try call.number("limit", in: Self.limits)
        if let before = try call.number("before_seq", in: 1...Int.max) {
            self = .before(Int64(before), limit: limit ?? Self.usualLimit)
        } else if let after = try call.number("after_seq", in: 0...Int.max) {
            self = .after(Int64(after), limit: limit)
        } else if let cursor = try call.moment("cursor_date", naiveOffset: .zero) {
            let moment = cursor + .milliseconds(call.profile.earlyCursor)
            self = .after(try await messages.seq(of: room, at: moment), limit: limit)
        } else {
            self = .after(0, limit: limit)
        }
    }

    /// Whether it goes on from where a reader is, towards what is newest.
    var readsForward: Bool { if case .after = self { true } else { false } }

    /// The seqs that it means in a room whose newest is `head`: those above `after` and up to `through`.
    func part(upTo head: Int64) -> (after: Int64, through: Int64) {
        switch self {
        case .after(let seq, let limit):
            // Compared before it is added to: it may be any number.
            let first = min(seq, head)
            return (first, limit.map { min(head, first + Int64($0)) } ?? head)
        case .before(let seq, let limit):
            let last = min(seq - 1, head)
            return (max(0, last - Int64(limit)), last)
        }
    }
}

extension Call {
    /// A query parameter that is a moment; nil where it is absent or empty, which means from the start.
    ///
    /// - Parameter naiveOffset: where a text without zone is at home, for profiles whose clients send such.
    func moment(_ name: String, naiveOffset: Duration) throws -> Timestamp? {
        guard let text = try query(name), !text.isEmpty else { return nil }
        let offset = profile.naiveDates ? naiveOffset : nil
        guard let moment = Timestamp(text, withoutZoneAheadBy: offset) else {
            throw Failure.invalid("\(name) is no date.")
        }
        return moment
    }
}
