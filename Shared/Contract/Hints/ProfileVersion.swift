public import Wire

/// The version of a user's profile after a change: the body of the fact `user.changed`, and the hint that tells caches
/// of profiles to fetch the profile again.
public struct ProfileVersion: Hint {
    public static let redisChannel = "invalidate:users"

    public let user: UserID
    public let version: Int64

    public init(user: UserID, version: Int64) {
        self.user = user
        self.version = version
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let version = json.int64("version") else { return nil }
        self.init(user: user, version: version)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("version", version)
        }
    }
}
