public import Wire

/// A user has blocked another one, or ended the block: caches ask auth-service about both again.
public struct BlockHint: Hint {
    public static let redisChannel = "invalidate:blocks"

    /// The user with the block.
    public let user: UserID
    public let blocked: UserID

    public init(user: UserID, blocked: UserID) {
        self.user = user
        self.blocked = blocked
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let blocked: UserID = json.textID("blocked") else {
            return nil
        }
        self.init(user: user, blocked: blocked)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("blocked", blocked.description)
        }
    }
}
