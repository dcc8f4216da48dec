/// Decides how long the search index waits after a step, so that it is written for a share of the time. Beside sends at the limit of the
/// database the share is smaller: the index falls behind and catches up once the load falls.
///
/// Times are in nanoseconds.
struct IndexPace {
    /// The part of the time, 0 to 1, in which the index is written.
    let share: Double

    /// At the limit, the index takes this part of its share. On a slow disk commits may be under way without a pause at a hundred sends a
    /// second: with less than this the index would fall behind them.
    private static let shareAtLimit = 0.3
    /// The part of the time with a commit under way above which the database counts as at its limit.
    private static let limitOfCommits = 0.9
    /// How often the load is looked at during a longer wait.
    private static let slice: Double = 250_000_000
    private static let longestWait: Double = 10_000_000_000

    /// The next part of the wait; nil if it is over.
    ///
    /// - Parameters:
    ///   - took: the duration of the step.
    ///   - waited: the sum of the parts before.
    ///   - load: the part of the time with a commit under way, during the last part.
    func pause(afterStepOf took: Double, waited: Double, load: Double) -> Double? {
        let usual = Self.wait(after: took, share: share)
        if waited < usual { return usual - waited }
        guard share < 1, load > Self.limitOfCommits else { return nil }
        let longest = min(Self.wait(after: took, share: share * Self.shareAtLimit), Self.longestWait)
        return waited < longest ? min(longest - waited, Self.slice) : nil
    }

    private static func wait(after took: Double, share: Double) -> Double { took * (1 - share) / share }
}
