public import Wire

/// Asks auth-service for the sessions that were revoked since a time by its own clock.
public struct RevocationsRequest: InternalRequest {
    public typealias Reply = RevocationsReply

    public static let route = InternalRoute.get("/internal/revocations")

    public let since: Timestamp

    public init(since: Timestamp) { self.since = since }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let since = request.query("since").flatMap(Int64.init) else { throw .invalid("since is missing.") }
        self.init(since: Timestamp(milliseconds: since))
    }

    public func write(to request: inout InternalRequestWriter) { request.query("since", since.milliseconds) }
}

public struct RevocationsReply: WireMessage {
    /// The reply holds every revocation before this time, by auth-service's clock. If there may be more revocations
    /// than the reply holds, it is the millisecond after the last one.
    public let now: Timestamp
    /// Oldest first.
    public let revocations: [Revocation]

    public init(now: Timestamp, revocations: [Revocation]) {
        self.now = now
        self.revocations = revocations
    }

    public init?(_ json: JSONValue) {
        guard let now = json.timestamp("now"), json["revocations"]?.kind == .array else { return nil }
        self.init(now: now, revocations: json.list("revocations"))
    }

    public var sizeHint: Int { 80 * revocations.count + 64 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("now", now.milliseconds)
            json.field("revocations", revocations)
        }
    }
}
