import Contract
import Wire

/// The values of an invitation's mail, kept in the detail of the waiting mail as JSON. The token is computed from the seed
/// when the mail is sent.
struct MailInvitation: Sendable, Equatable {
    let seed: [UInt8]
    /// The name of the workspace.
    let workspace: String
    /// The nickname of the inviter; empty for a deleted account.
    let inviter: String
    /// The address that the token follows; empty if there is none.
    let link: String

    init(_ mail: InvitationMail) {
        (seed, workspace, inviter, link) = (mail.seed, mail.workspace, mail.inviter, mail.link)
    }

    /// Reads a detail; nil for that of another mail.
    init?(detail: String) {
        guard let json = try? JSONValue(parsing: detail), let text = json.string("seed"),
            let seed = Base64.decode(text.utf8.span, .url), let workspace = json.string("workspace"),
            let inviter = json.string("inviter"), let link = json.string("link")
        else { return nil }
        (self.seed, self.workspace, self.inviter, self.link) = (seed, workspace, inviter, link)
    }

    var detail: String {
        let bytes = JSONWriter.bytes { json in
            json.object { json in
                json.field("seed", Base64.encode(seed.span, .url))
                json.field("workspace", workspace)
                json.field("inviter", inviter)
                json.field("link", link)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
