import Contract

/// The part of workspace-service in the reference of the API.
enum Reference {
    static let all = ServiceReference([workspaces, members, channels, roles, invitations, bots])

    static let workspace = "/v1/workspaces/{id}"
    static let role = Schema.choice(WorkspaceRole.allCases.filter { $0 != .outsider }.map(\.rawValue))
    static let image = Schema.Member.may("image", .file, "JPEG, PNG or another picture; an empty part changes nothing.")
    static let channelIDs = Schema.Member.may("channels", .list(.digits), "Of a guest: the channels to be put in.")
}
