public import Wire

/// The services that erase data of a deleted account. auth-service erases its own at once.
public enum ErasurePart: String, Sendable, CaseIterable {
    case workspace, chat, realtime, payment
}

/// Reports to auth-service that a service has erased its data of a deleted account. Repeating it changes nothing.
public struct ErasedRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.idempotentPost("/internal/erasures/{user}/{part}")

    public let user: UserID
    public let part: ErasurePart
    /// The round of the fact that was handled.
    public let round: Int

    public init(user: UserID, part: ErasurePart, round: Int) {
        self.user = user
        self.part = part
        self.round = round
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let part = ErasurePart(rawValue: try request.text("part")) else { throw .notFound }
        self.init(user: try request.id("user"), part: part, round: try request.memberInteger("round"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(user)
        request.parameter(part.rawValue)
        request.body { $0.field("round", round) }
    }
}

/// Asks auth-service for the progress of an account's erasure and for its addresses. 404 for an account that was not deleted.
public struct ErasureRequest: InternalRequest {
    public typealias Reply = ErasureReply

    public static let route = InternalRoute.get("/internal/erasures/{user}")

    public let user: UserID

    public init(user: UserID) { self.user = user }

    public init(reading request: InternalRequestReader) throws(Failure) { self.init(user: try request.id("user")) }

    public func write(to request: inout InternalRequestWriter) { request.parameter(user) }
}

public struct ErasureReply: WireMessage {
    public let requestedAt: Timestamp
    /// When everything was erased for the first time; nil before.
    public let erasedAt: Timestamp?
    /// The services, and the grants of providers, that are not done yet.
    public let waiting: [String]
    /// The spellings of the account's email, in lower case; none once everything is erased.
    public let addresses: [String]

    public init(requestedAt: Timestamp, erasedAt: Timestamp?, waiting: [String], addresses: [String]) {
        self.requestedAt = requestedAt
        self.erasedAt = erasedAt
        self.waiting = waiting
        self.addresses = addresses
    }

    public init?(_ json: JSONValue) {
        guard let requestedAt = json.timestamp("requested_at"), let waiting = json["waiting"]?.array(\.string) else {
            return nil
        }
        // The version before has no addresses.
        self.init(
            requestedAt: requestedAt, erasedAt: json.timestamp("erased_at"), waiting: waiting,
            addresses: json["addresses"]?.array(\.string) ?? [])
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("requested_at", requestedAt.milliseconds)
            if let erasedAt { json.field("erased_at", erasedAt.milliseconds) }
            json.field("waiting", waiting)
            json.field("addresses", addresses)
        }
    }
}
