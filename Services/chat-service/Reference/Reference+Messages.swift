import Contract
import HTTP

extension Reference {
    private static let send: [Schema.Member] = [
        .may("content", .text(longest: SendRequest.maxContent, example: "안녕하세요"), "Absent if there are files."),
        .may("files", .list(.file, atMost: SendRequest.maxFiles)),
        .may("client_id", .text(longest: 64), "Makes a repeated send the same message."),
        .may("thread", .integer(1...Int.max), "The `seq` of the message to reply to.").only(.native),
        .may("toRoom", .flag, "Whether a reply is in the timeline too.").only(.native),
    ]
    private static let idempotency = RouteDescription.Parameter.header(
        "Idempotency-Key", "Instead of `client_id`.")

    private static let history: [RouteDescription.Parameter] = [
        .query("cursor_date", .text, "A time: only later messages, in ascending order. Without it all of them."),
        .query("after_seq", .count, "Only messages after this one."),
        .query("before_seq", .integer(1...Int.max), "Only messages before this one."),
        .query("limit", .integer(1...500), "The most messages."),
        .query("threads", .choice(["inline"]), "Native: also replies that are in their threads alone."),
    ]
    private static let after = RouteDescription.Parameter.query(
        "after", .text, "A time; without it from your read marker.")
    private static let seq: [Schema.Member] = [.has("seq", .seq)]
    private static let sendNote =
        "A repeated `client_id` with the same content replies with the first message; with other content it is E11."

    static let channelMessages = RouteGroup(
        "Messages of channels",
        "Sending, history, unread counts and read markers. Reading a channel's history joins you.",
        messages(.january2024, "{name}") + messages(.july2024, "{channel_id}")
            + [RouteDescription].files(of: "channelChats", "For members of the channel."))

    private static func messages(_ generation: ClientProfile.Generation, _ segment: String) -> [RouteDescription] {
        let channel = workspace + "/channels/" + segment
        let chat = Schema.entity(ChatView.entity)
        return [
            RouteDescription(
                .generation(generation), .post, channel + "/chats", "Sends a message", note: sendNote,
                parameters: [idempotency], body: .multipart(send), reply: .created(chat),
                errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .generation(generation), .get, channel + "/chats", "Reads the history", parameters: history,
                reply: .json(.list(chat)), errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .generation(generation), .get, channel + "/unreads", "Counts unread messages", parameters: [after],
                reply: .json(.object([.has("channel_id", .id), .has("name", .text), .has("count", .count)])),
                errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .generation(generation), .put, channel + "/read", "Moves your read marker",
                note: "It never moves back.", body: .json(seq), reply: .json(.object(seq)),
                errors: [.invalidRequest, .notFound]),
        ]
    }

    private static let dms = workspace + "/dms"
    private static let dm = Schema.entity(DMView.entity)

    static let directMessages = RouteGroup(
        "Direct messages", "A DM is a room of two members of a workspace.",
        [
            RouteDescription(
                .everyone, .get, dms, "Lists your DMs", reply: .json(.list(.entity(RoomView.entity))),
                errors: [.notFound]),
            RouteDescription(
                .generation(.july2024), .post, dms, "Opens a DM", note: "Replies with the new or the existing room.",
                body: .json([.has("opponent_id", .id)]), reply: .json(.entity(RoomView.entity)),
                errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .everyone, .post, dms + "/{room_id}/chats", "Sends a message", note: sendNote,
                parameters: [idempotency], body: .multipart(send), reply: .created(dm),
                errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .generation(.january2024), .get, dms + "/{opponent_id}/chats", "Reads the history with a user",
                note: "Opens the DM if it is new.", parameters: history,
                reply: .json(
                    .object([.has("workspace_id", .id), .has("room_id", .id), .has("chats", .list(dm))])),
                errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .generation(.july2024), .get, dms + "/{room_id}/chats", "Reads the history", parameters: history,
                reply: .json(.list(dm)), errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .everyone, .get, dms + "/{room_id}/unreads", "Counts unread messages", parameters: [after],
                reply: .json(.object([.has("room_id", .id), .has("count", .count)])),
                errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .everyone, .put, dms + "/{room_id}/read", "Moves your read marker", note: "It never moves back.",
                body: .json(seq), reply: .json(.object(seq)), errors: [.invalidRequest, .notFound]),
        ] + [RouteDescription].files(of: "dmChats", "For the two members of the DM."))
}
