public import Wire

/// The subject of ids of invitations.
public enum InvitationSubject {}
public typealias InvitationID = ID<InvitationSubject>

/// Asks workspace-service for the values of an invitation's mail. The reply is 404 if the mail is not wanted any more.
public struct InvitationMailRequest: InternalRequest {
    public typealias Reply = InvitationMail

    public static let route = InternalRoute.get("/internal/invitations/{id}/mail")

    public let invitation: InvitationID

    public init(invitation: InvitationID) { self.invitation = invitation }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(invitation: try request.id("id"))
    }

    public func write(to request: inout InternalRequestWriter) { request.parameter(invitation) }
}

/// The values of an invitation's mail.
public struct InvitationMail: WireMessage {
    public let recipient: String
    /// `ko` or `en`; nil for the default of the deployment.
    public let language: String?
    /// The token is computed from it.
    public let seed: [UInt8]
    /// The name of the workspace.
    public let workspace: String
    /// The nickname of the inviter; empty for a deleted account.
    public let inviter: String
    /// The address that the token follows; empty if there is none.
    public let link: String
    public let expiresAt: Timestamp

    public init(
        recipient: String, language: String?, seed: [UInt8], workspace: String, inviter: String, link: String,
        expiresAt: Timestamp
    ) {
        self.recipient = recipient
        self.language = language
        self.seed = seed
        self.workspace = workspace
        self.inviter = inviter
        self.link = link
        self.expiresAt = expiresAt
    }

    public init?(_ json: JSONValue) {
        guard let recipient = json.string("recipient"), let text = json.string("seed"),
            let seed = Base64.decode(text.utf8.span, .url), let workspace = json.string("workspace"),
            let inviter = json.string("inviter"), let link = json.string("link"),
            let expiresAt = json.timestamp("expires_at")
        else { return nil }
        self.init(
            recipient: recipient, language: json.string("language"), seed: seed, workspace: workspace,
            inviter: inviter, link: link, expiresAt: expiresAt)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("recipient", recipient)
            if let language { json.field("language", language) }
            json.field("seed", Base64.encode(seed.span, .url))
            json.field("workspace", workspace)
            json.field("inviter", inviter)
            json.field("link", link)
            json.field("expires_at", expiresAt.milliseconds)
        }
    }
}

/// An invitation at a version of its workspace: the body of the fact that orders its mail.
public struct InvitationReference: WireMessage {
    public let workspace: WorkspaceVersion
    public let invitation: InvitationID

    public init(workspace: WorkspaceVersion, invitation: InvitationID) {
        self.workspace = workspace
        self.invitation = invitation
    }

    public init?(_ json: JSONValue) {
        guard let workspace = WorkspaceVersion(json), let invitation: InvitationID = json.textID("invitation_id") else {
            return nil
        }
        self.init(workspace: workspace, invitation: invitation)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("workspace_id", workspace.workspace.description)
            json.field("version", workspace.version)
            json.field("invitation_id", invitation.description)
        }
    }
}
