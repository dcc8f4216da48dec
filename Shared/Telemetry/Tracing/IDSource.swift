public import EventLoop
internal import Synchronization

/// Random 64-bit numbers for ids of requests and spans, in a few nanoseconds and without a lock; not for secrets.
///
/// Each loop has its own sequence (SplitMix64), so loops do not contend.
public final class IDSource: Sendable {
    private let sequences: ShardedCells

    /// The golden ratio in 64 bits: with this step SplitMix64 visits every number once.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Starts each loop's sequence at a random number.
    public init(for group: EventLoopGroup) {
        sequences = ShardedCells(for: group, count: 1)
        sequences.fill { UInt64.random(in: 0 ... .max) }
    }

    /// The next number; never 0, which means "no id".
    public func next() -> UInt64 {
        var number = sequences.add(Self.step, at: 0)
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        return number == 0 ? next() : number
    }
}
