public import Wire

/// The internal API of auth-service.
public struct AuthClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

    /// The profiles of those users who exist.
    public func profiles(of users: [UserID]) async throws -> [Profile] {
        if users.isEmpty { return [] }
        let json = try await client.ask("/internal/profiles") { json in json.field("ids", users.map(\.description)) }
        return json["profiles"]?.elements?.compactMap(Profile.init) ?? []
    }

    /// The account that an email belongs to, as the one who asks may write it.
    public func profile(ofEmail email: String) async throws -> Profile? {
        let json = try await client.ask("/internal/profiles/by-email") { json in json.field("emails", [email]) }
        return json["profiles"]?.elements?.compactMap(Profile.init).first
    }

    /// The device tokens of users, for push.
    public func devices(of users: [UserID]) async throws -> [Device] {
        if users.isEmpty { return [] }
        let json = try await client.ask("/internal/devices") { json in json.field("ids", users.map(\.description)) }
        return json["devices"]?.elements?.compactMap(Device.init) ?? []
    }

    /// Reads another path of the API.
    public func get(_ path: String) async throws -> JSONValue { try await client.get(path) }

    /// Forgets a device token that its provider calls dead.
    public func prune(_ token: String) async throws {
        _ = try await client.tell("/internal/devices/prune") { json in json.field("token", token) }
    }
}

extension AuthClient {
    /// A person's profile at a version; of two, the one with the larger version holds.
    public struct Profile: Sendable, Equatable {
        public let member: MemberView
        public let version: Int64

        init?(_ json: JSONValue) {
            guard let member = MemberView(json), let version = json["version"]?.int else { return nil }
            self.member = member
            self.version = Int64(version)
        }
    }

    /// Where a push for a user goes.
    public struct Device: Sendable, Equatable {
        public let user: UserID
        public let token: String

        init?(_ json: JSONValue) {
            guard let user = json["user_id"]?.string.flatMap(UserID.init), let token = json["token"]?.string else {
                return nil
            }
            self.user = user
            self.token = token
        }
    }
}
