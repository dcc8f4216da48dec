/// Why the body of a request could not be read, or the body of a reply not be written, to its end.
public enum BodyError: Error, Equatable {
    /// The body is larger than the reader allows.
    case tooLarge
    /// The body arrived too slowly.
    case timeout
    /// The chunks violate RFC 9112.
    case malformed
    /// The peer has closed the connection.
    case disconnected
    /// Another reader is reading the body, or has read it.
    case alreadyRead
}
