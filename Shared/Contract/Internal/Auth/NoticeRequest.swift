public import Wire

/// Asks auth-service to mail a notice to the owner of an account. Without a mail server, or for an address that takes no mail,
/// nothing is sent.
public struct NoticeRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.post("/internal/notices")

    /// The notices of other services. The raw values are sent.
    public enum Kind: String, Sendable, CaseIterable {
        /// An outgoing webhook that the user has made was switched off, because it kept failing.
        case webhookOff = "webhook_off"
    }

    public let user: UserID
    public let kind: Kind
    /// A value for the text, such as the host of a receiver. At most 300 bytes.
    public let detail: String

    public init(user: UserID, kind: Kind, detail: String) {
        self.user = user
        self.kind = kind
        self.detail = detail
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let kind = Kind(rawValue: try request.memberText("kind")) else { throw .invalid("kind is not valid.") }
        let detail = try request.memberText("detail")
        guard detail.utf8.count <= 300 else { throw .invalid("detail is too long.") }
        self.init(user: try request.memberID("user_id"), kind: kind, detail: detail)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("user_id", user.description)
            json.field("kind", kind.rawValue)
            json.field("detail", detail)
        }
    }
}
