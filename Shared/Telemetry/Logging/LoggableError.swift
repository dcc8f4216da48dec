public import EventLoop

/// An error that says of itself what may stand in a log.
public protocol LoggableError: Error {
    /// What has failed and why, without personal data: no names, addresses of people, contents or tokens.
    var logText: String { get }
}

extension SocketError: LoggableError {
    public var logText: String { description }
}

extension Error {
    /// Its own text where it vouches for it; else its type and case, because nobody knows what its values hold.
    var logText: String {
        if let loggable = self as? any LoggableError { return loggable.logText }
        let type = "\(type(of: self))"
        let mirror = Mirror(reflecting: self)
        guard mirror.displayStyle == .enum else { return type }
        return "\(type).\(mirror.children.first?.label ?? "\(self)")"
    }
}
