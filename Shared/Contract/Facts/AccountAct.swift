public import Wire

/// When and from where a user has done something with their account: the body of the facts `session.opened` and
/// `export.requested`.
public struct AccountAct: WireMessage {
    public let user: UserID
    public let at: Timestamp
    /// The address of the client.
    public let address: String
    /// The client profile of the app.
    public let app: String

    public init(user: UserID, at: Timestamp, address: String, app: String) {
        self.user = user
        self.at = at
        self.address = address
        self.app = app
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let at = json.timestamp("at"),
            let address = json.string("address"), let app = json.string("app")
        else { return nil }
        self.init(user: user, at: at, address: address, app: app)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("at", at.milliseconds)
            json.field("address", address)
            json.field("app", app)
        }
    }
}
