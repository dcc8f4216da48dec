import Contract
import HTTP

extension Reference {
    private static let path = workspace + "/channels"
    private static let one = Schema.entity(ChannelView.entity)
    private static let list = Schema.list(.entity(ChannelView.entity))

    static let channels = RouteGroup(
        "Channels", "A channel is open to the members of its workspace. Guests see those that they were put in.",
        collection + named(.january2024, "{name}") + named(.july2024, "{channel_id}") + leaving
            + [RouteDescription].files(of: CoverImages.Folder.channels.rawValue, "For members of the workspace."))

    private static let collection = [
        RouteDescription(
            .everyone, .post, path, "Creates a channel",
            body: .multipart([.has("name", .text(longest: 30)), .may("description", .text(longest: 1000)), image]),
            reply: .created(one), errors: [.invalidRequest, .duplicate, .notFound, .notAllowed]),
        RouteDescription(
            .everyone, .get, path, "Lists all channels", reply: .json(list), errors: [.notFound]),
        RouteDescription(
            .generation(.january2024), .get, path + "/my", "Lists the channels that you are in", reply: .json(list),
            errors: [.notFound]),
        RouteDescription(
            .generation(.july2024), .get, workspace + "/my-channels", "Lists the channels that you are in",
            reply: .json(list), errors: [.notFound]),
    ]

    /// The routes of a channel, whose place in the path is a name in the first generation and an id in the second.
    private static func named(_ generation: ClientProfile.Generation, _ segment: String) -> [RouteDescription] {
        let channel = Self.path + "/" + segment
        return [
            RouteDescription(
                .generation(generation), .get, channel, "Shows a channel with its members",
                note: "It does not join you.", reply: .json(.entity(ChannelView.detail)), errors: [.notFound]),
            RouteDescription(
                .generation(generation), .put, channel, "Changes a channel", note: "For the owner of the channel.",
                body: .multipart([
                    .may("name", .text(longest: 30)), .may("description", .text(longest: 1000)), image,
                ]), reply: .json(one), errors: [.invalidRequest, .duplicate, .notFound, .notAllowed]),
            RouteDescription(
                .generation(generation), .delete, channel, "Deletes a channel",
                note: "For the owner of the channel, and owners and admins of the workspace.",
                errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .generation(generation), .get, channel + "/members", "Lists the members of a channel",
                reply: .json(.list(.entity(MemberView.entity))), errors: [.notFound]),
        ]
    }

    private static let leaving = [
        RouteDescription(
            .generation(.july2024), .delete, path + "/{channel_id}/members/{user_id}", "Removes a member of a channel",
            note: "For the owner of the channel, and owners and admins of the workspace.",
            errors: [.invalidRequest, .notFound, .notAllowed, .refused]),
        RouteDescription(
            .native, .put, path + "/{channel_id}/members/{user_id}", "Puts a member in a channel",
            note: "For the owner of the channel, and owners and admins of the workspace.",
            errors: [.notFound, .notAllowed]),
        RouteDescription(
            .generation(.january2024), .get, path + "/{name}/leave", "Leaves a channel",
            note: "Replies with your remaining channels.", reply: .json(list),
            errors: [.invalidRequest, .notFound, .refused]),
        RouteDescription(
            .generation(.july2024), .get, path + "/{channel_id}/exit", "Leaves a channel",
            note: "Replies with your remaining channels.", reply: .json(list),
            errors: [.invalidRequest, .notFound, .refused]),
        RouteDescription(
            .generation(.july2024), .delete, path + "/{channel_id}/exit", "Leaves a channel",
            note: "The same as `GET`.", reply: .json(list), errors: [.invalidRequest, .notFound, .refused]),
        RouteDescription(
            .generation(.january2024), .put, path + "/{name}/change/admin/{user_id}", "Transfers a channel",
            note: "For its owner.", reply: .json(one), errors: [.invalidRequest, .notFound, .notAllowed]),
        RouteDescription(
            .generation(.july2024), .put, path + "/{channel_id}/transfer/ownership", "Transfers a channel",
            note: "For its owner.",
            body: .json([.may("owner_id", .id), .may("owner_ship", .id, "An old name of it.")]),
            reply: .json(one), errors: [.invalidRequest, .notFound, .notAllowed]),
    ]
}
