/// The application's answer to a request that opens a session.
public struct EngineAcceptance: Sendable {
    /// Makes the application's handler, on the session's loop.
    public let open: EngineServer.Opening
    /// Whether permessage-deflate may be negotiated; see `EngineSocket.mayCompress`.
    public let mayCompress: Bool

    /// Decline compression for clients that are not trusted: a short compressed frame can inflate to a thousand times its
    /// length.
    public init(mayCompress: Bool = true, open: @escaping EngineServer.Opening) {
        self.mayCompress = mayCompress
        self.open = open
    }
}
