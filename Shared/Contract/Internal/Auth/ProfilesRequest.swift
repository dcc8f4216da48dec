public import Wire

extension AuthClient {
    /// A user's profile at a version. The profile with the larger version replaces the other.
    public struct Profile: WireMessage {
        public let member: MemberView
        public let version: Int64

        public init(member: MemberView, version: Int64) {
            self.member = member
            self.version = version
        }

        public init?(_ json: JSONValue) {
            guard let member = MemberView(json), let version = json.int64("version") else { return nil }
            self.init(member: member, version: version)
        }

        public func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

        fileprivate func writeMembers(to json: inout JSONWriter) {
            member.writeMembers(to: &json)
            json.field("version", version)
        }
    }
}

/// Asks auth-service for the profiles of users, 1,000 at most. Unknown users are missing from the reply.
public struct ProfilesRequest: UsersRequest {
    public typealias Reply = ProfilesReply

    public static let route = InternalRoute.idempotentPost("/internal/profiles")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct ProfilesReply: WireMessage {
    public let profiles: [AuthClient.Profile]

    public init(profiles: [AuthClient.Profile]) { self.profiles = profiles }

    public init?(_ json: JSONValue) { self.init(profiles: json.list("profiles")) }

    public var sizeHint: Int { 128 * profiles.count + 32 }

    public func write(to json: inout JSONWriter) { json.object { $0.field("profiles", profiles) } }
}

/// Asks auth-service for the profiles of the accounts with these emails, 1,000 at most.
public struct ProfilesByEmailRequest: InternalRequest {
    public typealias Reply = ProfilesByEmailReply

    public static let route = InternalRoute.idempotentPost("/internal/profiles/by-email")

    public let emails: [String]

    public init(emails: [String]) { self.emails = emails }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(emails: try request.memberTexts("emails"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in json.field("emails", emails) }
    }
}

public struct ProfilesByEmailReply: WireMessage {
    /// A profile, and the email by which the caller asked for it.
    public struct Match: WireMessage {
        public let profile: AuthClient.Profile
        public let asked: String

        public init(profile: AuthClient.Profile, asked: String) {
            self.profile = profile
            self.asked = asked
        }

        public init?(_ json: JSONValue) {
            guard let profile = AuthClient.Profile(json) else { return nil }
            self.init(profile: profile, asked: json.string("asked") ?? "")
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                profile.writeMembers(to: &json)
                json.field("asked", asked)
            }
        }
    }

    public let matches: [Match]

    public init(matches: [Match]) { self.matches = matches }

    public init?(_ json: JSONValue) { self.init(matches: json.list("profiles")) }

    public func write(to json: inout JSONWriter) { json.object { $0.field("profiles", matches) } }
}
