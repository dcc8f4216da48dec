import Contract
import HTTP

/// The part of chat-service in the reference of the API.
enum Reference {
    static let all = ServiceReference([
        channelMessages, directMessages, changes, threads, lists, search, preferences, scheduled, moderation, webhooks,
        commands,
    ])

    static let workspace = "/v1/workspaces/{id}"
    /// The key of a room, such as `channel-7`.
    static let room = Schema.text(example: "channel-7")
    /// A message of either kind of room.
    static let message = Schema.either([.entity(ChatView.entity), .entity(DMView.entity)])

    /// A message of one kind of room.
    static func message(of kind: RoomPath.Kind) -> Schema {
        .entity(kind == .channel ? ChatView.entity : DMView.entity)
    }

    /// A native route of channels and of DMs, as `PublicRoutes.native(_:of:_:)` adds it.
    static func native(
        _ method: Method, ofRooms suffix: String, _ summary: String, note: String = "",
        parameters: [RouteDescription.Parameter] = [], body: RouteDescription.Body = .none,
        errors: [ErrorCode], reply: (Schema) -> RouteDescription.Reply
    ) -> [RouteDescription] {
        RoomPath.Kind.allCases.map { kind in
            RouteDescription(
                .native, method, kind.template + suffix, summary, note: note, parameters: parameters, body: body,
                reply: reply(message(of: kind)), errors: [.notFound] + errors)
        }
    }
}
