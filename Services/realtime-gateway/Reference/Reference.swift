import Contract

/// The part of realtime-gateway in the reference of the API: its sockets.
enum Reference {
    static let all = ServiceReference(
        [], namespaces: rooms(for: [.january2024, .july2024], []) + rooms(for: [.native], [changed]) + [me])

    /// The key of a room, such as `channel-7`.
    static let room = Schema.Member.has("room", .text(example: "channel-7"))
    static let message = Schema.either([.entity(ChatView.entity), .entity(DMView.entity)])

    private static let changed = NamespaceReference.Event.toClient(
        "changed", "A message was edited, deleted, pinned, or reacted to.", .object([room, .has("message", message)]))

    /// The sockets of one room each.
    private static func rooms(
        for forms: [ClientProfile.Form], _ more: [NamespaceReference.Event]
    ) -> [NamespaceReference] {
        [
            NamespaceReference(
                "channel", at: "/ws-channel-{channel_id}", "The messages of one channel. Clients send nothing.",
                for: forms, [.toClient("channel", "A new message.", .entity(ChatView.entity))] + more),
            NamespaceReference(
                "dm", at: "/ws-dm-{room_id}", "The messages of one DM. Clients send nothing.", for: forms,
                [.toClient("dm", "A new message.", .entity(DMView.entity))] + more),
        ]
    }
}
