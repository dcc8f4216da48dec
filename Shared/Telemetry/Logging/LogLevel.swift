/// The importance of a log line.
public enum LogLevel: String, Sendable, Comparable, CaseIterable {
    /// Details for debugging.
    case debug
    /// Normal events.
    case info
    /// A problem that the service handles itself.
    case warning
    /// A failure that an operator should look at.
    case error

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
