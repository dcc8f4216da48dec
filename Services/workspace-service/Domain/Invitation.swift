import Contract
import Wire

/// A way into a workspace: a link, or a mail to a person with or without an account.
struct Invitation: Sendable {
    enum Kind: String, Sendable {
        case link, mail
    }

    /// The state of an invitation at a time.
    enum State: String, Sendable {
        case active, used, expired, revoked
    }

    let id: InvitationID
    let workspace: WorkspaceID
    let kind: Kind
    /// Random; the token is computed from it.
    let seed: [UInt8]
    let terms: InvitationTerms
    /// Nil once the account is deleted.
    let createdBy: UserID?
    let createdAt: Timestamp
    let uses: Int
    let revokedAt: Timestamp?

    func state(at now: Timestamp) -> State {
        if revokedAt != nil || createdBy == nil { return .revoked }
        if let most = terms.maxUses, uses >= most { return .used }
        return terms.expiresAt <= now ? .expired : .active
    }
}

/// The offer of an invitation, and its recipient.
struct InvitationTerms: Sendable, Equatable {
    let role: WorkspaceRole
    /// Further channels that the new member is put in; at least one for guests.
    let channels: [ChannelID]
    let expiresAt: Timestamp
    /// Nil for any number.
    let maxUses: Int?
    /// The address of a mail; nil for a link, and once it is not needed any more.
    var recipient: String?
    /// The language of the mail.
    var language: String?

    static let longest = Duration.seconds(365 * 86_400)
    static let usual = Duration.seconds(7 * 86_400)
    static let mostUses = 10_000
    /// The languages of mails.
    static let languages: Set = ["ko", "en"]

    /// Reads the fields of a client. A mail admits one person.
    init(
        role: WorkspaceRole, channels: [ChannelID], lifetime: Duration?, maxUses: Int?, recipient: String?,
        language: String?, now: Timestamp
    ) throws(Failure) {
        let lifetime = lifetime ?? Self.usual
        guard lifetime >= .seconds(60), lifetime <= Self.longest else {
            throw .invalid("expiresIn must be from 60 seconds to 365 days.")
        }
        guard (1...Self.mostUses).contains(maxUses ?? 1) else { throw .invalid("uses must be from 1 to 10000.") }
        guard recipient == nil || (maxUses ?? 1) == 1 else { throw .invalid("uses must be 1 if there is an email.") }
        if let language, !Self.languages.contains(language) { throw .invalid("language must be ko or en.") }
        guard role != .guest || !channels.isEmpty else { throw .invalid("channels is required for the role guest.") }
        self.init(
            role: role, channels: channels, expiresAt: now + lifetime, maxUses: recipient == nil ? maxUses : 1,
            recipient: recipient, language: language)
    }

    init(
        role: WorkspaceRole, channels: [ChannelID], expiresAt: Timestamp, maxUses: Int?, recipient: String?,
        language: String?
    ) {
        self.role = role
        self.channels = channels
        self.expiresAt = expiresAt
        self.maxUses = maxUses
        self.recipient = recipient
        self.language = language
    }
}
