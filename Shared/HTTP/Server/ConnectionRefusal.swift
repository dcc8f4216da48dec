/// Why the server refuses a connection.
public enum ConnectionRefusal: String, Sendable, CaseIterable {
    /// The server has as many connections as its configuration allows. The client gets 503, or the connection is closed at
    /// once while many others are refused.
    case limit
    /// The process has no file descriptor left. The connection is closed at once.
    case descriptors
}
