/// The side of a connection. A client masks its frames, a server does not.
public enum Role: Sendable {
    case server
    case client
}
