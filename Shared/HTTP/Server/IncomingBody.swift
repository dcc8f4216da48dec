/// The body of the request that is being served: decodes it, and limits its size and time.
struct IncomingBody {
    /// Bytes that may wait for the reader.
    static let room = 64 * 1024

    /// The length that the client declared; nil for chunks.
    let declaredLength: Int?
    /// Whether the client waits for `100 Continue` before it sends the body.
    private(set) var owesContinue: Bool
    private(set) var decoder: BodyDecoder
    private var clock: BodyClock
    private var count = 0
    private let largest: Int

    /// Prepares for the body of a request; nil if the request has none.
    init?(_ parts: HeadParts, _ rules: ConnectionRules, now: UInt64) throws(Refusal) {
        switch parts.framing {
        case .none: return nil
        case .length(let count):
            guard count <= rules.largestBody else { throw .bodyTooLarge }
            declaredLength = count
        case .chunked: declaredLength = nil
        }
        owesContinue = parts.expectsContinue
        decoder = BodyDecoder(parts.framing, limits: rules.limits)
        clock = BodyClock(now: now, grace: rules.bodyGrace, rate: rules.bodyRate)
        largest = rules.largestBody
    }

    /// Whether the last byte has arrived.
    var isComplete: Bool { decoder.isComplete }

    /// Bytes that are still to come; `.max` for chunks, as their total is unknown.
    var missing: Int { decoder.remaining ?? .max }

    /// Decodes `bytes` into `buffer` while it has room.
    ///
    /// - Returns: the number of bytes consumed.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, into buffer: inout [UInt8], now: UInt64
    ) throws(Refusal) -> Int {
        let consumed = try decoder.decode(bytes, into: &buffer, room: max(0, Self.room - buffer.count))
        count += consumed
        if declaredLength == nil && count > largest { throw .bodyTooLarge }
        clock.received(consumed, now: now)
        if consumed > 0 { owesContinue = false }
        if !isComplete && buffer.count >= Self.room { clock.hold(now: now) }
        return consumed
    }

    /// Continues the time limit after the reader has made room.
    mutating func release(now: UInt64) { clock.release(now: now) }

    /// Forgets the client's wish for `100 Continue`.
    mutating func settleContinue() { owesContinue = false }

    /// Whether the body took too long.
    func isOverdue(now: UInt64) -> Bool { !isComplete && clock.isOver(now: now) }

    /// When to check for an overdue body.
    var deadline: UInt64 { isComplete ? .max : clock.nextCheck }
}
