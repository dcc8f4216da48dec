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
