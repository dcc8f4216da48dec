/// Which side of the connection this is: a client masks what it sends, a server never does.
public enum Role: Sendable {
    case server
    case client
}
