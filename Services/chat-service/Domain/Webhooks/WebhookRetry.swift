/// How long an event waits after a failed attempt: from about five seconds, doubling up to an hour.
enum WebhookRetry {
    private static let first = Duration.seconds(5)
    private static let longest = Duration.seconds(3600)

    /// - Parameters:
    ///   - attempts: the failed attempts so far, 1 or more.
    ///   - asked: the time for which the receiver asks.
    ///   - spread: a random number from 0 to 1, so that events which failed together are not sent again together.
    static func wait(after attempts: Int, asked: Duration?, spread: Double) -> Duration {
        let whole = min(longest, first * (1 << min(max(0, attempts - 1), 20)))
        return max(whole / 2 + whole / 2 * spread, min(longest, asked ?? .zero))
    }
}
