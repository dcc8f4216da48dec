public import EventLoop

/// An error that provides its own text for the log.
public protocol LoggableError: Error {
    /// The failure and its cause, without personal data: no names, addresses of people, contents or tokens.
    var logText: String { get }
}

extension SocketError: LoggableError {
    public var logText: String { description }
}

extension Error {
    /// The text of a `LoggableError`; of any other error only its type and case, because its values may be personal
    /// data.
    var logText: String {
        if let loggable = self as? any LoggableError { return loggable.logText }
        let type = "\(type(of: self))"
        let mirror = Mirror(reflecting: self)
        guard mirror.displayStyle == .enum else { return type }
        return "\(type).\(mirror.children.first?.label ?? "\(self)")"
    }
}
