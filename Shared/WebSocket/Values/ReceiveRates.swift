/// How much a peer may send in a time. A peer that sends more is disconnected with 1008.
///
/// Frames cost work however short they are, and a compressed frame costs as much as the bytes that it inflates to.
public struct ReceiveRates: Sendable, Equatable {
    /// A number that grows by `perSecond` up to `burst`.
    public struct Rate: Sendable, Equatable {
        public var perSecond: Int
        public var burst: Int

        /// - Parameter burst: the number that may be used at once after a quiet time.
        public init(perSecond: Int, burst: Int) {
            self.perSecond = perSecond
            self.burst = burst
        }
    }

    /// Frames, control frames and fragments included.
    public var frames: Rate
    /// Bytes that compressed messages inflate to.
    public var inflatedBytes: Rate

    public init(frames: Rate, inflatedBytes: Rate) {
        self.frames = frames
        self.inflatedBytes = inflatedBytes
    }
}

/// The frames and bytes that a peer may still send by its `ReceiveRates`.
struct ReceiveBudget {
    private let rates: ReceiveRates
    private var frames: Double
    private var inflatedBytes: Double
    private var refilledAt: UInt64 = 0

    /// A full budget.
    init(_ rates: ReceiveRates) {
        self.rates = rates
        frames = Double(rates.frames.burst)
        inflatedBytes = Double(rates.inflatedBytes.burst)
    }

    /// Takes `count` frames out of the budget.
    ///
    /// - Parameter now: monotonic nanoseconds.
    mutating func take(frames count: Int, now: UInt64) throws(ProtocolFailure) {
        refill(now)
        frames -= Double(count)
        guard frames >= 0 else { throw ProtocolFailure(.policyViolation, "too many frames") }
    }

    /// Takes the bytes of an inflated message out of the budget, which the last message may overdraw.
    mutating func take(inflatedBytes count: Int) throws(ProtocolFailure) {
        guard inflatedBytes > 0 else { throw ProtocolFailure(.policyViolation, "too many compressed bytes") }
        inflatedBytes -= Double(count)
    }

    private mutating func refill(_ now: UInt64) {
        guard now > refilledAt else { return }
        let seconds = Double(now - refilledAt) / 1e9
        refilledAt = now
        frames = Self.refilled(frames, rates.frames, seconds)
        inflatedBytes = Self.refilled(inflatedBytes, rates.inflatedBytes, seconds)
    }

    private static func refilled(_ left: Double, _ rate: ReceiveRates.Rate, _ seconds: Double) -> Double {
        min(Double(rate.burst), left + seconds * Double(rate.perSecond))
    }
}
