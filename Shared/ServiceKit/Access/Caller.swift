public import Wire

/// The user and session of an access token.
public struct Caller: Sendable, Equatable {
    public let user: UserID
    public let session: SessionID

    /// A caller with a verified token.
    public init(user: UserID, session: SessionID) {
        self.user = user
        self.session = session
    }
}
