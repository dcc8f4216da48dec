import Contract
import ServiceKit
import Wire

/// How a call asks for a history: `after_seq`, `before_seq`, `limit` and `cursor_date`.
struct HistoryQuery: Sendable {
    private enum Place: Sendable {
        case after(Int64)
        case before(Int64)
        /// Strictly behind a moment, at millisecond precision.
        case since(Timestamp)
    }

    private let place: Place
    private let limit: Int?

    /// Whether the caller has messages already.
    var hasCursor: Bool { if case .after(0) = place { false } else { true } }

    private static let limits = 1...500
    private static let usualLimit = 100

    /// Reads the query; what is not valid in it is told before anything is done.
    init(_ call: Call) throws {
        limit = try call.number("limit", in: Self.limits)
        if let before = try call.number("before_seq", in: 1...Int.max) {
            place = .before(Int64(before))
        } else if let after = try call.number("after_seq", in: 0...Int.max) {
            place = .after(Int64(after))
        } else if let cursor = try call.moment("cursor_date", naiveOffset: .zero) {
            // Some clients' cursors come early.
            place = .since(cursor + .milliseconds(call.profile.earlyCursor))
        } else {
            place = .after(0)
        }
    }

    /// The part of a room's history that is meant.
    func range(in room: RoomID, _ messages: MessageStore) async throws -> HistoryRange {
        switch place {
        case .after(let seq): .after(seq, limit: limit)
        case .before(let seq): .before(seq, limit: limit ?? Self.usualLimit)
        case .since(let moment): .after(try await messages.seq(of: room, at: moment), limit: limit)
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
