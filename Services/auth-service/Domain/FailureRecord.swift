/// How often something has gone wrong of late, and when last.
struct FailureRecord: Sendable, Equatable {
    var failures: Int
    /// Since the last failure.
    var age: Duration

    /// So long after the last failure all of them are forgiven.
    static let memory = Duration.seconds(15 * 60)

    private static let longestWait = Duration.seconds(60)
    /// 2⁶ seconds are longer than the longest wait.
    private static let mostDoublings = 6

    /// How long the next attempt has to wait where `free` failures cost nothing; nil when it need not.
    func wait(free: Int) -> Duration? {
        guard failures >= free else { return nil }
        let wait = min(Self.longestWait, .seconds(1 << min(failures - free, Self.mostDoublings)))
        return age < wait ? wait - age : nil
    }

    /// What two who have each seen some of the failures know together at least.
    static func joined(_ one: FailureRecord?, _ other: FailureRecord?) -> FailureRecord? {
        guard let one, let other else { return one ?? other }
        return FailureRecord(failures: max(one.failures, other.failures), age: min(one.age, other.age))
    }
}
