/// The frames and bytes that a peer may still send by its `ReceiveRates`.
public struct ReceiveBudget: Sendable {
    private let rates: ReceiveRates
    private var frames: Double
    private var inflatedBytes: Double
    private var refilledAt: UInt64 = 0

    /// A full budget.
    public init(_ rates: ReceiveRates) {
        self.rates = rates
        frames = Double(rates.frames.burst)
        inflatedBytes = Double(rates.inflatedBytes.burst)
    }

    /// Takes `count` frames out of the budget.
    ///
    /// - Parameter now: monotonic nanoseconds.
    /// - Throws: `policyViolation` if fewer are left.
    public mutating func take(frames count: Int, now: UInt64) throws(ProtocolFailure) {
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
