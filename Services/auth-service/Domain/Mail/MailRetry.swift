/// How long a mail waits after a failed attempt: from about five seconds, doubling up to an hour.
enum MailRetry {
    private static let first = Duration.seconds(5)
    private static let longest = Duration.seconds(3600)

    /// - Parameters:
    ///   - attempts: the attempts so far, 1 or more.
    ///   - spread: a random number from 0 to 1, so that mails which failed together are not sent again together.
    static func wait(after attempts: Int, spread: Double) -> Duration {
        let whole = min(longest, first * (1 << min(max(0, attempts - 1), 20)))
        return whole / 2 + whole / 2 * spread
    }
}
