import Contract

/// Who may do what. What someone cannot see does not exist for them; what they see and may not do is refused.
enum Policy {
    /// Whoever is in the workspace sees it, its members and its channels, makes channels and enters them.
    static func see(_ standing: Standing) throws(Failure) {
        guard standing != .stranger else { throw .notFound }
    }

    /// Edit, delete, invite and hand over.
    static func manage(_ standing: Standing) throws(Failure) {
        try see(standing)
        guard standing == .owner else { throw .notAllowed }
    }

    /// An owner hands over before leaving, and so does the owner of a channel in the workspace.
    static func leave(_ standing: Standing, ownsChannels: Bool) throws(Failure) {
        try see(standing)
        guard standing != .owner, !ownsChannels else { throw Self.handOverFirst }
    }

    /// A workspace goes to another of its members.
    static func handOver(_ standing: Standing, toOneself: Bool, heir: Standing) throws(Failure) {
        try manage(standing)
        guard !toOneself else { throw .invalid("The workspace is yours.") }
        try see(heir)
    }

    static func see(_ standing: ChannelStanding) throws(Failure) {
        guard standing != .stranger else { throw .notFound }
    }

    static func manage(_ standing: ChannelStanding) throws(Failure) {
        try see(standing)
        guard standing == .owner else { throw .notAllowed }
    }

    /// A channel goes to another of its members; the default channel goes with its workspace.
    static func handOver(
        _ channel: Channel, _ standing: ChannelStanding, toOneself: Bool, heir: ChannelStanding
    ) throws(Failure) {
        try manage(standing)
        guard !channel.isDefault else { throw .invalid("The default channel goes with its workspace.") }
        guard !toOneself else { throw .invalid("The channel is yours.") }
        guard heir == .member else { throw .notFound }
    }

    /// The default channel stays as long as its workspace does.
    static func delete(_ channel: Channel, _ standing: ChannelStanding) throws(Failure) {
        try manage(standing)
        guard !channel.isDefault else { throw .invalid("The default channel cannot be deleted.") }
    }

    /// Nobody leaves the default channel without leaving the workspace; an onlooker has nothing to leave.
    static func leave(_ channel: Channel, _ standing: ChannelStanding) throws(Failure) {
        try see(standing)
        guard !channel.isDefault else { throw .invalid("The default channel cannot be left.") }
        guard standing != .onlooker else { throw .notFound }
        guard standing != .owner else { throw Self.handOverFirst }
    }

    private static let handOverFirst = Failure(.refused, "An owner hands over before leaving.")
}
