public import Crypto
public import Wire

/// Who issues tokens and revokes sessions: auth-service, near or far.
public protocol TokenAuthority: Sendable {
    /// The keys of all tokens that may still live.
    func keys() async throws -> VerificationKeySet
    /// What has been revoked since a moment by the authority's own clock, oldest first, and up to when that is all of it:
    /// its clock now, or the millisecond after the last one's where there may be more.
    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp)
}

/// The end of a session before its time.
public struct Revocation: Sendable, Equatable {
    public let session: SessionID
    public let user: UserID
    public let at: Timestamp

    public init(session: SessionID, user: UserID, at: Timestamp) {
        self.session = session
        self.user = user
        self.at = at
    }

    /// Reads a revocation as the hint and the internal API tell it.
    public init?(_ json: JSONValue) {
        guard
            let session = json["session"]?.string.flatMap(SessionID.init),
            let user = json["user_id"]?.string.flatMap(UserID.init),
            let at = json["at"]?.int
        else { return nil }
        self.init(session: session, user: user, at: Timestamp(milliseconds: Int64(at)))
    }
}

extension Revocation: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("session", session.description)
            json.field("user_id", user.description)
            json.field("at", at.milliseconds)
        }
    }

    /// The Redis channel of revocations.
    public static let channel = "revocations"
}
