public import Wire

/// Where a call came from, as the audit log keeps it.
public struct AuditOrigin: Sendable, Equatable {
    /// The address of the client.
    public let address: String
    /// The client profile of the app.
    public let app: String
    public let session: SessionID?

    public init(address: String, app: String, session: SessionID?) {
        self.address = address
        self.app = app
        self.session = session
    }
}

/// An action in a workspace with its actor, target and origin. It names no address of a mail and no text of a user, because the audit log cannot be changed when they are deleted.
public struct AuditEvent: Sendable, Equatable {
    public let action: AuditAction
    /// Nil if the product did it by itself.
    public let actor: UserID?
    /// The user that it happened to; nil if there is none.
    public let user: UserID?
    /// The thing that it happened to, such as `channel-7`, `dm-4/12` for a message, or `invitation-3`; empty for none.
    public let subject: String
    /// Further values by name, such as the old and the new role.
    public let detail: [String: String]
    public let origin: AuditOrigin?

    public init(
        _ action: AuditAction, by actor: UserID?, to user: UserID? = nil, subject: String = "",
        detail: [String: String] = [:], from origin: AuditOrigin? = nil
    ) {
        self.action = action
        self.actor = actor
        self.user = user
        self.subject = subject
        self.detail = detail
        self.origin = origin
    }
}

/// Writes an event into the audit log of a workspace, once for each key. An event of an unknown workspace is dropped.
public struct AuditRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.idempotentPost("/internal/workspaces/{id}/audit")

    public let workspace: WorkspaceID
    /// The name of the event, unique for the caller: a repeated call with it changes nothing. At most 200 bytes.
    public let key: String
    /// When it happened.
    public let at: Timestamp
    public let event: AuditEvent

    public init(workspace: WorkspaceID, key: String, at: Timestamp, event: AuditEvent) {
        self.workspace = workspace
        self.key = key
        self.at = at
        self.event = event
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let action = AuditAction(rawValue: try request.memberText("action")) else {
            throw .invalid("action is not valid.")
        }
        func optionalID<Subject>(_ name: StaticString) throws(Failure) -> ID<Subject>? {
            request.member(name) == nil ? nil : try request.memberID(name)
        }
        var origin: AuditOrigin?
        if request.member("address") != nil {
            origin = AuditOrigin(
                address: try request.memberText("address"), app: try request.memberText("app"),
                session: try optionalID("session"))
        }
        var detail: [String: String] = [:]
        if let members = request.member("detail")?.members {
            for (name, value) in members {
                guard let text = value.string else { throw .invalid("detail is not valid.") }
                detail[name] = text
            }
        }
        self.init(
            workspace: try request.id("id"), key: try request.memberText("key"),
            at: Timestamp(milliseconds: Int64(try request.memberInteger("at"))),
            event: AuditEvent(
                action, by: try optionalID("actor"), to: try optionalID("user_id"),
                subject: request.member("subject") == nil ? "" : try request.memberText("subject"), detail: detail,
                from: origin))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(workspace)
        request.body { json in
            json.field("key", key)
            json.field("at", at.milliseconds)
            json.field("action", event.action.rawValue)
            if let actor = event.actor { json.field("actor", actor.description) }
            if let user = event.user { json.field("user_id", user.description) }
            if !event.subject.isEmpty { json.field("subject", event.subject) }
            if !event.detail.isEmpty {
                json.object("detail") { json in
                    for (name, value) in event.detail.sorted(by: { $0.key < $1.key }) {
                        json.key(escaping: name)
                        json.value(value)
                    }
                }
            }
            if let origin = event.origin {
                json.field("address", origin.address)
                json.field("app", origin.app)
                if let session = origin.session { json.field("session", session.description) }
            }
        }
    }
}
