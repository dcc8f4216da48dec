/// How much a line of the log matters.
public enum LogLevel: String, Sendable, Comparable, CaseIterable {
    /// For whoever looks for a fault.
    case debug
    /// What happens in the ordinary course.
    case info
    /// Something is amiss and is dealt with.
    case warning
    /// Something has failed and somebody should look.
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
