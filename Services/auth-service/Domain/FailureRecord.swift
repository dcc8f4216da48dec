/// How many logins have failed recently, and when the last one did.
struct FailureRecord: Sendable, Equatable {
    var failures: Int
    /// Time since the last failure.
    var age: Duration

    /// Failures are forgotten this long after the last one.
    static let retention = Duration.seconds(15 * 60)

    private static let longestWait = Duration.seconds(60)
    /// 2⁶ seconds exceed the longest wait.
    private static let mostDoublings = 6

    /// How long the next attempt must wait if the first `free` failures cost nothing; nil if it may begin now.
    func wait(free: Int) -> Duration? {
        guard failures >= free else { return nil }
        let wait = min(Self.longestWait, .seconds(1 << min(failures - free, Self.mostDoublings)))
        return age < wait ? wait - age : nil
    }

    /// Merges two records of which each may have missed some failures: the larger count and the more recent failure.
    static func merged(_ one: FailureRecord?, _ other: FailureRecord?) -> FailureRecord? {
        guard let one, let other else { return one ?? other }
        return FailureRecord(failures: max(one.failures, other.failures), age: min(one.age, other.age))
    }
}
