/// The limit of notices to an address that nobody has verified. Anybody can join with the address of somebody else, change the
/// password or delete the account, and do so again and again.
enum UnprovedNotices {
    /// The most in `window` to one address, whichever accounts cause them.
    static let most = 20
    /// Notices that others cause end after this many of any kind. The rest is for those about the safety of the account.
    static let mostBeforeOthers = 10
    static let window = Duration.seconds(86_400)

    /// How many notices an address may have had in `window` before it gets no more with this template.
    static func limit(of template: MailTemplate) -> Int { template.isCausedByOthers ? mostBeforeOthers : most }
}
