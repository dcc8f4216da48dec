import Glibc

/// Compares measurements with their targets. A program with a missed target fails.
public struct Verdicts: Sendable {
    private var missed = 0

    public init() {}

    /// Prints whether a target was met, and flushes the output.
    public mutating func add(_ text: String, _ isMet: Bool) {
        if !isMet { missed += 1 }
        print("\(isMet ? "met   " : "MISSED") \(text)")
        fflush(nil)
    }

    /// Throws if a target was missed.
    public func settle() throws(TargetsMissed) {
        if missed > 0 { throw TargetsMissed(count: missed) }
    }
}

public struct TargetsMissed: Error, CustomStringConvertible {
    let count: Int

    public var description: String { count == 1 ? "a target was missed" : "\(count) targets were missed" }
}
