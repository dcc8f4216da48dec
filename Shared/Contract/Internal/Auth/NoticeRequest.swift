public import Wire

/// Asks auth-service to mail a notice to the owner of an account. Without a mail server, or for an address that takes no mail,
/// nothing is sent.
public struct NoticeRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.post("/internal/notices")

    /// The notices of other services. The raw values are sent.
    public enum Kind: String, Sendable, CaseIterable {
        /// An outgoing webhook that the user has made, or of a workspace that they own, was switched off, because it kept failing.
        case webhookOff = "webhook_off"
        /// A workspace of the user requires a second factor. Auth-service mails it only to those that have none.
        case secondFactorRequired = "second_factor_required"
    }

    public let user: UserID
    public let kind: Kind
    /// A value for the text, such as the host of a receiver. At most 300 bytes.
    public let detail: String
    /// Until when the user has to act; nil if the text names no such moment.
    public let due: Timestamp?
    /// Names the notice, so that a repeated order adds no second mail while the first one waits; nil for a notice without a name.
    public let key: String?

    public static let mostDetail = 300

    public init(user: UserID, kind: Kind, detail: String, due: Timestamp? = nil, key: String? = nil) {
        self.user = user
        self.kind = kind
        self.detail = detail
        self.due = due
        self.key = key
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let kind = Kind(rawValue: try request.memberText("kind")) else { throw .invalid("kind is not valid.") }
        let detail = try request.memberText("detail")
        guard detail.utf8.count <= Self.mostDetail else { throw .invalid("detail is too long.") }
        let due = request.member("due_at")?.int.map { Timestamp(milliseconds: Int64($0)) }
        self.init(
            user: try request.memberID("user_id"), kind: kind, detail: detail, due: due,
            key: request.member("key")?.string)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("user_id", user.description)
            json.field("kind", kind.rawValue)
            json.field("detail", detail)
            if let due { json.field("due_at", due.milliseconds) }
            if let key { json.field("key", key) }
        }
    }
}
