public import Contract
public import Wire

/// The user and session of an access token.
public struct Caller: Sendable, Equatable {
    public let user: UserID
    public let session: SessionID
    /// The scopes of a bot's token; nil for a person, to whom every route is open.
    public let scopes: Set<BotScope>?

    /// A caller with a verified token.
    public init(user: UserID, session: SessionID, scopes: Set<BotScope>? = nil) {
        self.user = user
        self.session = session
        self.scopes = scopes
    }
}
