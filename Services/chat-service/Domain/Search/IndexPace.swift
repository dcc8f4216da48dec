/// Decides how long the search index waits after a step, so that it is written for a share of the time. Beside sends at a limit the share
/// is smaller: the index falls behind and catches up once the load falls.
///
/// Times are in nanoseconds.
struct IndexPace {
    /// The part of the time, 0 to 1, in which the index is written.
    let share: Double

    /// While commits follow each other without a pause, the index takes this part of its share. On a slow disk that may be so at a
    /// hundred sends a second: with less than this the index would fall behind them.
    private static let shareOfBusyDisk = 0.3
    /// The part of the time with a commit under way above which there is no pause.
    private static let busyDisk = 0.9
    /// While commits are large and frequent, the processors are at their limit: what the index takes, sends lack.
    private static let shareOfBusyProcessors = 0.1
    /// The number of messages from which a commit is large. Sends at half of the highest rate have about seven in each, those at that
    /// rate more than twenty.
    private static let largeCommit = 12.0
    /// The part of the time with a commit under way above which large commits are frequent, and no burst of a moment.
    private static let frequentCommits = 0.4
    /// How often the load is looked at during a longer wait.
    private static let slice: Double = 250_000_000
    private static let longestWait: Double = 10_000_000_000

    /// The next part of the wait; nil if it is over.
    ///
    /// - Parameters:
    ///   - took: the duration of the step.
    ///   - waited: the sum of the parts before.
    ///   - load: the commits during the last part.
    func pause(afterStepOf took: Double, waited: Double, load: CommitLoad.Share) -> Double? {
        let usual = Self.wait(after: took, share: share)
        if waited < usual { return usual - waited }
        guard share < 1, let part = Self.part(at: load) else { return nil }
        let longest = min(Self.wait(after: took, share: share * part), Self.longestWait)
        return waited < longest ? min(longest - waited, Self.slice) : nil
    }

    /// The part of its share that the index takes beside sends at a limit; nil for other loads.
    private static func part(at load: CommitLoad.Share) -> Double? {
        if load.messages >= largeCommit, load.busy > frequentCommits { return shareOfBusyProcessors }
        return load.busy > busyDisk ? shareOfBusyDisk : nil
    }

    private static func wait(after took: Double, share: Double) -> Double { took * (1 - share) / share }
}
