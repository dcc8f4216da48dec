public import Wire

extension AuthClient {
    /// A device that receives a user's pushes.
    public struct Device: WireMessage {
        public let user: UserID
        public let token: String
        /// The name of the client profile of its session; nil if an older auth-service does not tell it.
        public let profile: String?

        public init(user: UserID, token: String, profile: String? = nil) {
            self.user = user
            self.token = token
            self.profile = profile
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"), let token = json.string("token") else { return nil }
            self.init(user: user, token: token, profile: json.string("profile"))
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("token", token)
                if let profile { json.field("profile", profile) }
            }
        }
    }
}

/// Asks auth-service for the device tokens of users, 1,000 users at most.
public struct DevicesRequest: UsersRequest {
    public typealias Reply = DevicesReply

    public static let route = InternalRoute.idempotentPost("/internal/devices")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct DevicesReply: WireMessage {
    public let devices: [AuthClient.Device]

    public init(devices: [AuthClient.Device]) { self.devices = devices }

    public init?(_ json: JSONValue) { self.init(devices: json.list("devices")) }

    public var sizeHint: Int { 256 * devices.count + 32 }

    public func write(to json: inout JSONWriter) { json.object { $0.field("devices", devices) } }
}

/// Makes auth-service delete a device token that the push provider has rejected for good.
public struct PruneDeviceRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.post("/internal/devices/prune")

    public let token: String

    public init(token: String) { self.token = token }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(token: try request.memberText("token"))
    }

    public func write(to request: inout InternalRequestWriter) { request.body { $0.field("token", token) } }
}
