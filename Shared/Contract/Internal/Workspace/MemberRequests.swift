public import Wire

/// A part of a list of members in the order of their ids.
public struct MembersPage: Hashable, Sendable {
    public static let largest = 1000

    /// The page begins after this user; nil for the first page.
    public let after: UserID?
    public let limit: Int

    public init(after: UserID? = nil, limit: Int = Self.largest) {
        self.after = after
        self.limit = limit
    }

    init(reading request: InternalRequestReader) throws(Failure) {
        let after = try request.queryNumber("after", in: 0...Int64.max) ?? 0
        let limit = try request.queryNumber("limit", in: 1...Self.largest) ?? Self.largest
        self.init(after: after == 0 ? nil : UserID(after), limit: limit)
    }

    func write(to request: inout InternalRequestWriter) {
        request.query("after", after?.rawValue ?? 0)
        request.query("limit", limit)
    }
}

/// Asks workspace-service for a page of the members of a channel.
public struct ChannelMembersRequest: InternalRequest {
    public typealias Reply = MembersReply

    public static let route = InternalRoute.get("/internal/channels/{id}/members")

    public let channel: ChannelID
    public let page: MembersPage

    public init(channel: ChannelID, page: MembersPage) {
        self.channel = channel
        self.page = page
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(channel: try request.id("id"), page: try MembersPage(reading: request))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(channel)
        page.write(to: &request)
    }
}

/// Asks workspace-service for a page of the members of a workspace.
public struct WorkspaceMembersRequest: InternalRequest {
    public typealias Reply = MembersReply

    public static let route = InternalRoute.get("/internal/workspaces/{id}/members")

    public let workspace: WorkspaceID
    public let page: MembersPage
    /// Only the members that this one sees: a guest sees those of the guest's channels. Nil for all.
    public let viewer: UserID?

    public init(workspace: WorkspaceID, page: MembersPage, seenBy viewer: UserID? = nil) {
        self.workspace = workspace
        self.page = page
        self.viewer = viewer
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            workspace: try request.id("id"), page: try MembersPage(reading: request),
            seenBy: request.query("seen_by") == nil ? nil : try request.queryID("seen_by"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.parameter(workspace)
        page.write(to: &request)
        if let viewer { request.query("seen_by", viewer) }
    }
}

/// A page of members.
public struct MembersReply: WireMessage {
    public let users: [UserID]
    /// The next page begins after this user; nil on the last page.
    public let next: UserID?

    public init(users: [UserID], next: UserID?) {
        self.users = users
        self.next = next
    }

    public init?(_ json: JSONValue) {
        guard let users: [UserID] = json.textIDs("members") else { return nil }
        self.init(users: users, next: json.textID("next"))
    }

    public var sizeHint: Int { 16 * users.count + 64 }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("members", users.map(\.description))
            if let next { json.field("next", next.description) }
        }
    }
}

/// Asks workspace-service for those of `others` that the user sees: they share a workspace, or a channel where the user is a
/// guest. 1,000 others at most.
public struct AcquaintancesRequest: InternalRequest {
    public typealias Reply = UsersReply

    public static let route = InternalRoute.idempotentPost("/internal/acquaintances")

    public let user: UserID
    public let others: [UserID]
    /// Only those seen in this workspace; nil for all workspaces.
    public let workspace: WorkspaceID?

    public init(user: UserID, others: [UserID], workspace: WorkspaceID? = nil) {
        self.user = user
        self.others = others
        self.workspace = workspace
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            user: try request.memberID("user_id"), others: try request.memberIDs("others"),
            workspace: request.member("workspace_id") == nil ? nil : try request.memberID("workspace_id"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("user_id", user.description)
            json.field("others", others.map(\.description))
            if let workspace { json.field("workspace_id", workspace.description) }
        }
    }
}

/// Adds a user to the workspaces with these slugs and to their default channels; a repeated call changes nothing. The
/// reply is 503 if a slug belongs to no API key of the service.
public struct AutoJoinRequest: InternalRequest {
    public typealias Reply = EmptyReply

    public static let route = InternalRoute.idempotentPost("/internal/auto-join")

    public let user: UserID
    public let slugs: [String]

    public init(user: UserID, slugs: [String]) {
        self.user = user
        self.slugs = slugs
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(user: try request.memberID("user_id"), slugs: try request.memberTexts("slugs"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("user_id", user.description)
            json.field("slugs", slugs)
        }
    }
}
