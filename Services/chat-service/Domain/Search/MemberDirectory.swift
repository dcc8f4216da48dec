import Contract
import EventLoop
import Search
import ServiceKit
import Wire

/// The members of workspaces by name, for searches.
struct MemberDirectory: Sendable {
    struct Entry: Sendable {
        let member: MemberView
        /// The nickname in the form in which search compares it.
        let name: SearchText
    }

    private let workspaces: WorkspaceClient
    private let profiles: ProfileCache
    private let entries: HintedCache<WorkspaceID, [Entry]>

    /// Members of all cached workspaces together, about 300 bytes each.
    private static let capacity = 200_000

    init(workspaces: WorkspaceClient, profiles: ProfileCache) {
        self.workspaces = workspaces
        self.profiles = profiles
        entries = HintedCache(capacity: Self.capacity)
    }

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) { entries.follow(subscriber, on: loop) }

    /// The members of a workspace in the order of their ids.
    ///
    /// - Parameter guest: only the members that this guest sees; nil for all.
    func members(of workspace: WorkspaceID, seenBy guest: UserID?) async throws -> [Entry] {
        let all = try await members(of: workspace)
        guard let guest else { return all }
        let seen = Set(try await workspaces.allMembers(of: workspace, seenBy: guest))
        return all.filter { seen.contains($0.member.id) }
    }

    /// All members of a workspace, and those of `others` that are none any more.
    func members(of workspace: WorkspaceID, and others: [UserID]) async throws -> [Entry] {
        let members = try await members(of: workspace)
        if others.isEmpty { return members }
        let former = Set(others).subtracting(members.map(\.member.id))
        if former.isEmpty { return members }
        let people = try await profiles.members(former)
        return members + people.values.map(Self.entry(of:))
    }

    /// All members of a workspace in the order of their ids.
    func members(of workspace: WorkspaceID) async throws -> [Entry] {
        try await entries.value(of: workspace) {
            let ids = try await workspaces.allMembers(of: workspace)
            let people = try await profiles.members(ids)
            let members = ids.compactMap { people[$0] }.map(Self.entry(of:))
            return HintedCache.Entry(
                value: members, workspace: workspace, users: Set(ids), weight: members.count + 1)
        }
    }

    private static func entry(of member: MemberView) -> Entry {
        Entry(member: member, name: SearchText(member.nickname))
    }
}
