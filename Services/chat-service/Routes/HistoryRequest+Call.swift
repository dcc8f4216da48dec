import Contract
import ServiceKit
import Wire

extension HistoryRequest {
    /// Reads `after_seq`, `before_seq`, `limit`, `cursor_date` and `threads` from the query. Throws before anything is done if one
    /// of them is not valid.
    init(_ call: Call) throws {
        limit = try call.number("limit", in: Self.limits)
        withThreads = try call.profile.isNative ? call.wantsThreads() : true
        if let before = try call.number("before_seq", in: 1...Int.max) {
            anchor = .before(Int64(before))
        } else if let after = try call.number("after_seq", in: 0...Int.max) {
            anchor = .after(Int64(after))
        } else if let (cursor, isNaive) = try call.date("cursor_date", naiveOffset: .zero) {
            // A fresh install of a client that sends dates without a zone sends its own wall clock, which is ahead of
            // UTC.
            let isAhead = isNaive && cursor > .now
            // Some clients send a cursor that is up to this much too early.
            anchor = isAhead ? .sinceJoining : .since(cursor + .milliseconds(call.profile.earlyCursor))
        } else {
            anchor = .after(0)
        }
    }
}

extension Call {
    /// Whether `threads` is `inline`.
    fileprivate func wantsThreads() throws -> Bool {
        guard let text = try query("threads"), !text.isEmpty else { return false }
        guard text == "inline" else { throw Failure.invalid("threads must be inline.") }
        return true
    }

    /// Reads a moment from the query; nil if it is absent or empty, which means from the start.
    ///
    /// - Parameters:
    ///   - naiveOffset: the offset of a text without a zone, for profiles whose clients send such texts.
    ///   - naiveTolerance: the age up to which a text without a zone counts as the present.
    func moment(_ name: String, naiveOffset: Duration, naiveTolerance: Duration = .zero) throws -> Timestamp? {
        guard let (moment, isNaive) = try date(name, naiveOffset: naiveOffset) else { return nil }
        let latest = moment + naiveTolerance
        return !isNaive || latest < .now ? moment : latest
    }

    /// Reads a moment from the query, and whether its text has no zone; nil if it is absent or empty.
    ///
    /// - Parameter naiveOffset: the offset of a text without a zone, for profiles whose clients send such texts.
    fileprivate func date(_ name: String, naiveOffset: Duration) throws -> (moment: Timestamp, isNaive: Bool)? {
        guard let text = try query(name), !text.isEmpty else { return nil }
        if let moment = Timestamp(text, withoutZoneAheadBy: nil) { return (moment, false) }
        guard profile.naiveDates, let moment = Timestamp(text, withoutZoneAheadBy: naiveOffset) else {
            throw Failure.invalid("\(name) is not a valid date.")
        }
        return (moment, true)
    }
}
