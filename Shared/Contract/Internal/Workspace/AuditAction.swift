/// The action of an entry in a workspace's audit log. The raw values are stored and sent to clients.
public enum AuditAction: String, Sendable, CaseIterable {
    // Sign-ins of members.
    case signedIn = "session.opened"

    // Members and their roles.
    case memberAdded = "member.added"
    case memberLeft = "member.left"
    case memberRemoved = "member.removed"
    case memberBanned = "member.banned"
    case banLifted = "member.unbanned"
    case roleChanged = "role.changed"
    case ownershipTransferred = "workspace.transferred"
    /// A member without the second factor that the workspace requires is locked out, or is let in again.
    case memberLockedOut = "member.locked"
    case memberLetIn = "member.unlocked"

    // Ways into the workspace.
    case invitationCreated = "invitation.created"
    case invitationRevoked = "invitation.revoked"
    case invitationAccepted = "invitation.accepted"
    case joinRequested = "join.requested"
    case joinApproved = "join.approved"
    case joinDeclined = "join.declined"

    // Moderation. A report that is filed is no entry: the members that it is about may read the log.
    case reportDismissed = "report.dismissed"
    case messageDeleted = "moderation.deleted"
    case userWarned = "moderation.warned"
    case userMuted = "moderation.muted"
    case userUnmuted = "moderation.unmuted"
    case userSuspended = "moderation.suspended"
    case userReinstated = "moderation.reinstated"
    case wordFilterChanged = "moderation.words"

    // The workspace itself.
    case workspaceChanged = "workspace.changed"
    case settingsChanged = "settings.changed"
    case channelMemberAdded = "channel.member.added"
    case channelMemberRemoved = "channel.member.removed"
    case channelDeleted = "channel.deleted"
    case exported = "export.requested"

    // Incoming webhooks of channels.
    case webhookCreated = "webhook.created"
    case webhookRenamed = "webhook.renamed"
    case webhookRotated = "webhook.rotated"
    case webhookDeleted = "webhook.deleted"

    // Bots and their tokens.
    case botCreated = "bot.created"
    case botDeleted = "bot.deleted"
    case botTokenCreated = "bot.token.created"
    case botTokenRotated = "bot.token.rotated"
    case botTokenRevoked = "bot.token.revoked"

    // Commands of bots.
    case commandCreated = "command.created"
    case commandDeleted = "command.deleted"

    // Outgoing webhooks of the workspace.
    case subscriptionCreated = "subscription.created"
    case subscriptionChanged = "subscription.changed"
    case subscriptionRotated = "subscription.rotated"
    case subscriptionDeleted = "subscription.deleted"
    case subscriptionTurnedOff = "subscription.off"
}
