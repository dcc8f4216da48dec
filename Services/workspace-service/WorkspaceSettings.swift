import ServiceKit
import Wire

/// The settings of workspace-service beside the common ones.
struct WorkspaceSettings: Sendable {
    private static let priceKey = ConfigKey(
        "workspace_price", default: 10, atLeast: 0, "The price of a workspace in coins. 0 makes workspaces free.")
    private static let imageSizeKey = ConfigKey(
        "image_size", default: ByteCount(10 << 20), "The size limit of a cover image of a workspace or channel.")
    private static let systemOwnerKey = ConfigKey(
        "system_owner", default: 0, atLeast: 0,
        "The owner of the workspaces that users of an API key join automatically. 0 for no user.")

    private static let workspaceChannelsKey = ConfigKey(
        "workspace_channels", default: 1000, atLeast: 1, "The largest number of channels in a workspace.")
    private static let userChannelsKey = ConfigKey(
        "user_channels", default: 200, atLeast: 1,
        "The largest number of channels that one user may create and own in a workspace.")

    private static let userWorkspacesKey = ConfigKey(
        "user_workspaces", default: 200, atLeast: 1, "The largest number of workspaces that one user may own.")
    private static let workspaceMembersKey = ConfigKey(
        "workspace_members", default: 10_000, atLeast: 1,
        "The largest number of members of a workspace. Users of an API key still join its workspaces.")

    private static let userInvitationsKey = ConfigKey(
        "user_invitations", default: 200, atLeast: 1, "Invitations by email that one user may send in an hour.")
    private static let workspaceInvitationsKey = ConfigKey(
        "workspace_invitations", default: 1000, atLeast: 1, "Invitations by email to one workspace in an hour.")

    private static let auditRetentionKey = ConfigKey(
        "audit_retention", default: Duration.seconds(400 * 86_400), atLeast: Duration.seconds(30 * 86_400),
        "How long entries of the audit log are kept. The database keeps those of the last 30 days in any case.")

    private static let workspaceBotsKey = ConfigKey(
        "workspace_bots", default: 50, atLeast: 0, "The largest number of bots of a workspace.")
    private static let botTokensKey = ConfigKey(
        "bot_tokens", default: 10, atLeast: 1, "The largest number of tokens of a bot.")

    private static let invitationLinkKey = ConfigKey(
        "invitation_link", default: "",
        """
        The address at which the app opens an invitation, such as https://chat.example.com/#invitation=. The token follows \
        it. Without it, mails have the token.
        """)

    static let entries =
        [
            priceKey.entry, imageSizeKey.entry, Pictures.retentionKey.entry, systemOwnerKey.entry,
            SystemUser.nameKey.entry,
            workspaceChannelsKey.entry, userChannelsKey.entry, userWorkspacesKey.entry, workspaceMembersKey.entry,
            userInvitationsKey.entry, workspaceInvitationsKey.entry, auditRetentionKey.entry,
            invitationLinkKey.entry, workspaceBotsKey.entry, botTokensKey.entry,
        ] + PreviewLimits.entries

    let workspacePrice: Int
    /// Bytes.
    let imageSize: Int
    let systemOwner: UserID?
    let channelLimits: ChannelLimits
    let workspaceLimits: WorkspaceLimits
    let invitationLimits: InvitationLimits
    let botLimits: BotLimits
    let pictures: (retention: Duration, previews: PreviewLimits)
    let auditRetention: Duration
    let invitationLink: String
    let system: SystemUser

    init(_ config: Config) {
        workspacePrice = config[Self.priceKey]
        imageSize = config[Self.imageSizeKey].bytes
        systemOwner = config[Self.systemOwnerKey] > 0 ? UserID(Int64(config[Self.systemOwnerKey])) : nil
        channelLimits = ChannelLimits(
            ofWorkspace: config[Self.workspaceChannelsKey], ofOwner: config[Self.userChannelsKey])
        workspaceLimits = WorkspaceLimits(
            ofOwner: config[Self.userWorkspacesKey], ofMembers: config[Self.workspaceMembersKey])
        invitationLimits = InvitationLimits(
            perUser: config[Self.userInvitationsKey], perWorkspace: config[Self.workspaceInvitationsKey])
        botLimits = BotLimits(
            ofWorkspace: config[Self.workspaceBotsKey], tokens: config[Self.botTokensKey])
        pictures = (config[Pictures.retentionKey], PreviewLimits(config))
        invitationLink = config[Self.invitationLinkKey]
        auditRetention = config[Self.auditRetentionKey]
        system = SystemUser(nickname: config[SystemUser.nameKey])
    }
}
