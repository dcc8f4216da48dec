import Contract
import HTTP

extension Reference {
    private static let list = Schema.list(.entity(WorkspaceView.entity))
    private static let one = Schema.entity(WorkspaceView.entity)

    static let workspaces = RouteGroup(
        "Workspaces", "A workspace has members and channels. Creating one costs coins.",
        [
            RouteDescription(
                .everyone, .post, "/v1/workspaces", "Creates a workspace",
                body: .multipart([
                    .has("name", .text(longest: 30)), .may("description", .text(longest: 1000)),
                    .has("image", .file),
                ]), reply: .created(one), errors: [.invalidRequest, .duplicate, .notEnoughCoins]),
            RouteDescription(.everyone, .get, "/v1/workspaces", "Lists your workspaces", reply: .json(list)),
            RouteDescription(
                .everyone, .get, workspace, "Shows a workspace with its channels and members",
                reply: .json(.entity(WorkspaceView.detail)), errors: [.notFound]),
            RouteDescription(
                .everyone, .put, workspace, "Changes a workspace", note: "What is absent stays. For owners and admins.",
                body: .multipart([
                    .may("name", .text(longest: 30)), .may("description", .text(longest: 1000)), image,
                ]), reply: .json(one), errors: [.invalidRequest, .duplicate, .notFound, .notAllowed]),
            RouteDescription(
                .everyone, .delete, workspace, "Deletes a workspace", note: "For the owner.",
                errors: [.notFound, .notAllowed]),
            RouteDescription(
                .shippedJuly2024, .get, workspace + "/search", "Searches channels and members",
                parameters: [.query("keyword", .text, "A part of a name; all without it.")],
                reply: .json(.entity(WorkspaceView.detail)), errors: [.invalidRequest, .notFound]),
            RouteDescription(
                .generation(.january2024), .get, workspace + "/leave", "Leaves a workspace",
                note: "Replies with your remaining workspaces. E15 for its owner.", reply: .json(list),
                errors: [.notFound, .refused]),
            RouteDescription(
                .generation(.july2024), .get, workspace + "/exit", "Leaves a workspace",
                note: "Replies with your remaining workspaces. E15 for its owner.", reply: .json(list),
                errors: [.notFound, .refused]),
            RouteDescription(
                .generation(.july2024), .delete, workspace + "/exit", "Leaves a workspace",
                note: "The same as `GET`.", reply: .json(list), errors: [.notFound, .refused]),
            RouteDescription(
                .generation(.january2024), .put, workspace + "/change/admin/{user_id}", "Transfers the ownership",
                note: "For the owner.", reply: .json(one), errors: [.invalidRequest, .notFound, .notAllowed]),
            RouteDescription(
                .generation(.july2024), .put, workspace + "/transfer/ownership", "Transfers the ownership",
                note: "For the owner.",
                body: .json([.may("owner_id", .id), .may("owner_ship", .id, "An old name of it.")]),
                reply: .json(one), errors: [.invalidRequest, .notFound, .notAllowed]),
        ] + [RouteDescription].files(of: CoverImages.Folder.workspaces.rawValue, "For members of the workspace."))

    static let members = RouteGroup(
        "Members", "The users in a workspace.",
        [
            RouteDescription(
                .everyone, .post, workspace + "/members", "Adds a user by email",
                note: "For owners and admins. The user must have an account, and joins at once.",
                body: .json([.has("email", .text)]),
                reply: .created(.entity(MemberView.entity)),
                errors: [.unknownAccount, .invalidRequest, .duplicate, .notFound, .notAllowed, .refused]),
            RouteDescription(
                .everyone, .get, workspace + "/members", "Lists the members",
                reply: .json(.list(.entity(MemberView.entity))), errors: [.notFound]),
            RouteDescription(
                .generation(.july2024), .get, workspace + "/members/{user_id}", "Shows a member",
                reply: .json(.entity(MemberView.entity)), errors: [.notFound]),
            RouteDescription(
                .generation(.july2024), .delete, workspace + "/members/{user_id}", "Removes a member",
                note: "For owners and admins, on members with a lower role. The member's channels pass to the owner.",
                errors: [.notFound, .notAllowed, .refused]),
        ])
}
