import Contract
import HTTP

extension Reference {
    private static let thread = "/chats/{seq}/thread"

    static let threads = RouteGroup(
        "Threads and mentions", "Replies to a message, the threads that you follow, and messages that mention you.",
        inRooms + inWorkspace)

    private static let inRooms =
        native(
            .get, ofRooms: thread, "Reads a thread",
            note: "`seq` is of its root or of any reply. Replies come oldest first.",
            parameters: [
                .query("after_seq", .count, "Only replies after this one."),
                .query("limit", .integer(1...200), "50 without it."),
            ], errors: [.invalidRequest]
        ) { message in
            .json(
                .object([
                    .has("root", message), .has("items", .list(message)),
                    .has("next", .optional(.digits), "The next `after_seq`; null on the last page."),
                    .has("following", .flag), .has("readSeq", .seq),
                ]))
        }
        + native(.put, ofRooms: thread + "/follow", "Follows a thread", errors: []) { _ in .done }
        + native(.delete, ofRooms: thread + "/follow", "Ends following a thread", errors: []) { _ in .done }
        + native(
            .put, ofRooms: thread + "/read", "Moves your read marker of a thread", note: "It never moves back.",
            body: .json([.has("seq", .seq)]), errors: [.invalidRequest]
        ) { _ in .json(.object([.has("seq", .seq)])) }

    private static let inWorkspace = [
        RouteDescription(
            .native, .get, workspace + "/threads", "Lists the threads that you follow, those with unread replies first",
            parameters: RouteDescription.Parameter.page,
            reply: .json(
                .page(
                    of: .object([
                        .has("room", room), .has("root", message), .has("unreadCount", .count),
                        .has("mentionCount", .count), .has("readSeq", .seq), .has("lastReply", message),
                    ]))), errors: [.invalidRequest, .notFound]),
        RouteDescription(
            .native, .get, workspace + "/mentions", "Lists messages that mention you, the newest first",
            parameters: RouteDescription.Parameter.page,
            reply: .json(.page(of: .object([.has("room", room), .has("message", message)]))),
            errors: [.invalidRequest, .notFound]),
    ]
}
