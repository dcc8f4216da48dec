public import Wire

/// Asks auth-service whether the deployment sends mail.
public struct MailStatusRequest: InternalRequest {
    public typealias Reply = MailStatusReply

    public static let route = InternalRoute.get("/internal/mail")

    public init() {}

    public init(reading request: InternalRequestReader) throws(Failure) { self.init() }

    public func write(to request: inout InternalRequestWriter) {}
}

public struct MailStatusReply: WireMessage {
    /// Whether the settings name a mail server or a folder.
    public let isSetUp: Bool

    public init(isSetUp: Bool) { self.isSetUp = isSetUp }

    public init?(_ json: JSONValue) {
        guard let isSetUp = json.bool("set_up") else { return nil }
        self.init(isSetUp: isSetUp)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("set_up", isSetUp) } }
}
