public import Wire

/// Whether a user has a second factor, as of a version: the body of the fact `second-factor.changed`. A consumer ignores
/// versions that are not larger than the one that it knows.
public struct SecondFactorChange: WireMessage {
    public let user: UserID
    public let isOn: Bool
    /// Each change raises it.
    public let version: Int64

    public init(user: UserID, isOn: Bool, version: Int64) {
        self.user = user
        self.isOn = isOn
        self.version = version
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let isOn = json.bool("on"), let version = json.int64("version")
        else { return nil }
        self.init(user: user, isOn: isOn, version: version)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("on", isOn)
            json.field("version", version)
        }
    }
}
