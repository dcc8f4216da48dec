import Contract
import Wire

/// An invitation as owners and admins see it. Only links show their token: a mail is for its recipient.
struct InvitationView: View {
    let invitation: Invitation
    /// Nil for a mail.
    let token: String?
    /// The address before the token; empty if there is none.
    let link: String

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        let terms = invitation.terms
        json.object { json in
            json.field("invitation_id", invitation.id, for: profile)
            json.field("kind", invitation.kind.rawValue)
            json.field("state", invitation.state(at: .now).rawValue)
            json.field("role", terms.role.rawValue)
            json.field("channels", terms.channels.map(\.description))
            if let recipient = terms.recipient { json.field("email", recipient) }
            if let token {
                json.field("token", token)
                if !link.isEmpty { json.field("link", link + token) }
            }
            if let most = terms.maxUses { json.field("uses", most) }
            json.field("used", invitation.uses)
            if let user = invitation.createdBy { json.field("createdBy", user, for: profile) }
            json.field("createdAt", invitation.createdAt)
            json.field("expiresAt", terms.expiresAt)
        }
    }
}
