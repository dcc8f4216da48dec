import Glibc

/// Whether a measurement came to what it should, target by target. A program in which one is missed fails.
public struct Verdicts: Sendable {
    private var missed = 0

    public init() {}

    /// Prints how a target stands, at once even into a file.
    public mutating func add(_ text: String, _ isMet: Bool) {
        if !isMet { missed += 1 }
        print("\(isMet ? "met   " : "MISSED") \(text)")
        fflush(nil)
    }

    /// Throws where a target was missed.
    public func settle() throws(TargetsMissed) {
        if missed > 0 { throw TargetsMissed(count: missed) }
    }
}

public struct TargetsMissed: Error, CustomStringConvertible {
    let count: Int

    public var description: String { count == 1 ? "a target is missed" : "\(count) targets are missed" }
}
