/// How long a push that did not pass waits before it is tried again.
enum PushRetryPolicy {
    private static let longestWait = Duration.seconds(600)
    /// Older news is none.
    private static let lifetime = Duration.seconds(86_400)

    /// Longer with each attempt, and never shorter than the provider wants; nil where it would be over then.
    ///
    /// - Parameters:
    ///   - attempts: how often it was tried.
    ///   - jitter: 0 to 1, so that not all come back at once.
    static func wait(after attempts: Int, atLeast: Duration, age: Duration, jitter: Double) -> Duration? {
        let doubled = Duration.seconds(1 << min(attempts, 10))
        let wait = max(atLeast, min(longestWait, atLeast + doubled * jitter))
        return age + wait < lifetime ? wait : nil
    }
}
