/// The pause before a failed push is tried again.
enum PushRetryPolicy {
    private static let longestWait = Duration.seconds(600)
    /// An older push is dropped.
    static let lifetime = Duration.seconds(86_400)

    /// Whether a push of this age is sent no more, because it has waited for too long.
    static func isTooOld(_ age: Duration) -> Bool { age >= lifetime }

    /// The pause grows with each attempt, and is never shorter than the provider asks for; nil if the push is too old by then.
    ///
    /// - Parameters:
    ///   - attempts: earlier tries.
    ///   - jitter: 0 to 1, so that not all come back at once.
    static func wait(after attempts: Int, atLeast: Duration, age: Duration, jitter: Double) -> Duration? {
        let doubled = Duration.seconds(1 << min(attempts, 10))
        let wait = max(atLeast, min(longestWait, atLeast + doubled * jitter))
        return age + wait < lifetime ? wait : nil
    }
}
