/// The exit status of maructl.
enum ExitStatus: Int32, Sendable {
    case done = 0
    /// A service refused, or a check found something wrong.
    case failed = 1
    /// The command line or the settings are wrong.
    case usage = 2
    case notFound = 3
    /// A service does not answer.
    case unavailable = 4
    /// The credential is refused.
    case unauthorized = 5
    /// A destructive command was not confirmed.
    case unconfirmed = 6
}
