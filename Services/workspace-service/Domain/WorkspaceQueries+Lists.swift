import Contract
import ServiceKit
import Wire

/// The lists of replies, which are read page by page.
extension WorkspaceQueries {
    /// The place of an element in the order of a list.
    typealias ListKey = (moment: Int64, id: Int64)

    /// A member and its profile, which a deleted account does not have.
    struct Person: Sendable {
        let membership: Membership
        let profile: MemberView?
    }

    /// Workspaces or channels of a page.
    static let pageSize = 256
    /// Members of a page; their profiles are fetched in batches of this size.
    static let memberPageSize = 1000

    /// The reader of a list.
    struct Viewer: Sendable {
        let user: UserID
        /// False for guests: they see the channels that they are in and the people there.
        let seesEverybody: Bool
    }

    func channelPage(of id: WorkspaceID, for viewer: Viewer) -> PagedList<Channel, ListKey>.Page {
        guard viewer.seesEverybody else { return myChannelPage(of: id, viewer.user) }
        return { [channels] place, limit in try await channels.list(id, Page(after: place, limit: limit)) }
    }

    func myChannelPage(of id: WorkspaceID, _ user: UserID) -> PagedList<Channel, ListKey>.Page {
        { [channels] place, limit in try await channels.list(id, of: user, Page(after: place, limit: limit)) }
    }

    func memberPage(of id: WorkspaceID, for viewer: Viewer) -> PagedList<Person, ListKey>.Page {
        { [self] place, limit in
            let page = Page(after: place, limit: limit)
            return try await people(
                viewer.seesEverybody
                    ? members.list(id, page) : members.list(id, seenByGuest: viewer.user, page))
        }
    }

    func memberPage(of id: ChannelID) -> PagedList<Person, ListKey>.Page {
        { [self] place, limit in try await people(channelMembers.list(id, Page(after: place, limit: limit))) }
    }

    private func people(_ memberships: [Membership]) async throws -> [Person] {
        let known = try await profiles.members(memberships.lazy.map(\.user))
        return memberships.map { Person(membership: $0, profile: known[$0.user]) }
    }

    /// A list of the channels that `isShown` accepts.
    func channelList(
        first: [Channel]? = nil, _ page: @escaping PagedList<Channel, ListKey>.Page, for profile: ClientProfile,
        _ isShown: @escaping @Sendable (Channel) -> Bool
    ) -> PagedList<Channel, ListKey> {
        PagedList(pageSize: Self.pageSize, first: first, page: page) {
            ($0.createdAt.milliseconds, $0.id.rawValue)
        } write: { channel, json in
            if isShown(channel) { json.view(channel.view(), for: profile) }
        }
    }

    /// A list of the members that `isShown` accepts, without deleted accounts.
    func memberList(
        first: [Person]? = nil, _ page: @escaping PagedList<Person, ListKey>.Page, for profile: ClientProfile,
        _ isShown: @escaping @Sendable (MemberView) -> Bool
    ) -> PagedList<Person, ListKey> {
        PagedList(pageSize: Self.memberPageSize, first: first, page: page) {
            ($0.membership.joinedAt, $0.membership.user.rawValue)
        } write: { person, json in
            if let member = person.profile, isShown(member) { json.view(member, for: profile) }
        }
    }

    func array<Element, Key>(_ list: PagedList<Element, Key>) -> PagedBody {
        var body = PagedBody()
        body.append(array: list)
        return body
    }

    /// A workspace with lists of channels and members; an empty one for nil.
    func body(
        of workspace: Workspace, _ profile: ClientProfile, channels: PagedList<Channel, ListKey>?,
        members: PagedList<Person, ListKey>?
    ) -> PagedBody {
        var body = PagedBody()
        body.append { json in
            json.beginObject()
            workspace.view().writeMembers(to: &json, for: profile)
            json.key(WorkspaceView.channelsKey)
            json.beginArray()
        }
        if let channels { body.append(channels) }
        body.append { json in
            json.endArray()
            json.key(WorkspaceView.membersKey)
            json.beginArray()
        }
        if let members { body.append(members) }
        body.append { json in
            json.endArray()
            json.endObject()
        }
        return body
    }
}
