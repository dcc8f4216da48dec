public import Crypto
public import Wire

/// The issuer of tokens: auth-service itself, or its internal API.
public protocol TokenAuthority: Sendable {
    /// The public keys of all tokens that have not expired.
    func keys() async throws -> VerificationKeySet
    /// A page of the revocations since a time of the authority's clock, oldest first, and the time up to which the page is
    /// complete: the authority's time now, or, if more may follow, the millisecond after the last revocation.
    func revocations(since: Timestamp) async throws -> (revocations: [Revocation], now: Timestamp)
}

/// The end of a session before its expiry.
public struct Revocation: Sendable, Equatable {
    public let session: SessionID
    public let user: UserID
    public let at: Timestamp

    public init(session: SessionID, user: UserID, at: Timestamp) {
        self.session = session
        self.user = user
        self.at = at
    }

    /// Reads a revocation from a hint or from the internal API.
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

    /// The Redis channel of the hints.
    public static let channel = "revocations"
}
