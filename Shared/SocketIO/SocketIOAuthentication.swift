public import Wire

/// The credentials that a client sends when it joins a namespace.
public enum SocketIOAuthentication: Sendable {
    case none
    /// Revision 5: an object.
    case payload(JSONValue)
    /// Revision 4: the query after the namespace.
    case query(QueryParameters)
}
