public import Wire

/// The end of a session before its time: a hint to all services, and an element of the reply of `RevocationsRequest`.
public struct Revocation: Hint {
    public static let redisChannel = "revocations"

    public let session: SessionID
    public let user: UserID
    public let at: Timestamp

    public init(session: SessionID, user: UserID, at: Timestamp) {
        self.session = session
        self.user = user
        self.at = at
    }

    public init?(_ json: JSONValue) {
        guard let session: SessionID = json.textID("session"), let user: UserID = json.textID("user_id"),
            let at = json.timestamp("at")
        else { return nil }
        self.init(session: session, user: user, at: at)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("session", session.description)
            json.field("user_id", user.description)
            json.field("at", at.milliseconds)
        }
    }
}
