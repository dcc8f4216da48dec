public import Wire

/// Who calls, as their access token says.
public struct Caller: Sendable, Equatable {
    public let user: UserID
    public let session: SessionID

    /// A caller whose token has been verified.
    public init(user: UserID, session: SessionID) {
        self.user = user
        self.session = session
    }
}
