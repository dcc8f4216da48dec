import Contract
import HTTP

extension Reference {
    private static let path = "/chats/{seq}"

    static let changes = RouteGroup(
        "Living messages", "Edits, reactions, pins and bookmarks. Each change raises the revision of the room.",
        edits + reactions + pins + saved)

    private static let edits =
        native(.get, ofRooms: path, "Shows a message", errors: []) { .json($0) }
        + native(
            .put, ofRooms: path, "Edits your message",
            body: .json([.has("content", .text(longest: SendRequest.maxContent))]),
            errors: [.invalidRequest, .notAllowed]
        ) { .json($0) }
        + native(
            .delete, ofRooms: path, "Deletes a message",
            note:
                "For its author, the channel's owner, and owners and admins of the workspace. Replies with the tombstone.",
            errors: [.notAllowed]
        ) { .json($0) }
        + native(
            .get, ofRooms: path + "/versions", "Lists earlier texts, the oldest first",
            note: "For the author and the workspace's owner.", parameters: RouteDescription.Parameter.page,
            errors: [.invalidRequest, .notAllowed]
        ) { _ in
            .json(.page(of: .object([.has("content", .text), .has("createdAt", .time), .has("user_id", .id)])))
        }
        + native(
            .get, ofRooms: "/changes", "Lists messages that changed after a revision",
            note: "Each changed message once, as it is now, by `rev`.",
            parameters: [
                .query("after_rev", .count, "The revision that you have."),
                .query("limit", .integer(1...500), "50 without it."),
            ], errors: [.invalidRequest]
        ) { message in
            .json(
                .object([
                    .has("items", .list(message)), .has("rev", .count, "The revision that you then have."),
                    .has("complete", .flag, "Whether there are no more."),
                ]))
        }

    private static let emoji = "One emoji, percent-encoded. At most 50 different ones on a message."
    private static let reactions =
        native(
            .put, ofRooms: path + "/reactions/{emoji}", "Reacts with an emoji", note: emoji,
            errors: [.invalidRequest, .notAllowed]
        ) { .json($0) }
        + native(
            .delete, ofRooms: path + "/reactions/{emoji}", "Takes back a reaction", note: emoji,
            errors: [.invalidRequest, .notAllowed]
        ) { .json($0) }

    private static let pins =
        native(
            .put, ofRooms: path + "/pin", "Pins a message", note: "At most 100 in a room.",
            errors: [.invalidRequest, .notAllowed]
        ) { .json($0) }
        + native(.delete, ofRooms: path + "/pin", "Unpins a message", errors: [.invalidRequest, .notAllowed]) {
            .json($0)
        }
        + native(
            .get, ofRooms: "/pins", "Lists pinned messages, the newest first",
            parameters: RouteDescription.Parameter.page, errors: [.invalidRequest]
        ) { .json(.page(of: $0)) }

    private static let saved =
        native(.put, ofRooms: path + "/saved", "Bookmarks a message", errors: [.invalidRequest]) { .json($0) }
        + native(.delete, ofRooms: path + "/saved", "Ends a bookmark", errors: []) { .json($0) }
        + [
            RouteDescription(
                .native, .get, "/v1/users/me/saved", "Lists your bookmarks, the newest first",
                parameters: RouteDescription.Parameter.page,
                reply: .json(
                    .page(of: .object([.has("room", room), .has("message", message), .has("savedAt", .time)]))),
                errors: [.invalidRequest])
        ]
}
