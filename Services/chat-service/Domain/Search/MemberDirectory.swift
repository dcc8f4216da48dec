import Contract
import EventLoop
import Search
import ServiceKit
import Synchronization
import Wire

/// The members of workspaces by name, for searches. A new member is known after at most `lifetime`.
final class MemberDirectory: Sendable {
    struct Entry: Sendable {
        let member: MemberView
        /// The nickname in the form in which search compares it.
        let name: SearchText
    }

    private struct Kept {
        let ids: [UserID]
        let readAt: UInt64
    }

    private let workspaces: WorkspaceClient
    private let profiles: ProfileCache
    private let kept = Mutex<[WorkspaceID: Kept]>([:])

    private static let lifetime = Duration.seconds(10).wholeNanoseconds
    private static let maxWorkspaces = 1000

    init(workspaces: WorkspaceClient, profiles: ProfileCache) {
        self.workspaces = workspaces
        self.profiles = profiles
    }

    /// The members of a workspace in the order of their ids.
    func members(of workspace: WorkspaceID) async throws -> [Entry] {
        let ids = try await ids(of: workspace)
        let people = try await profiles.members(ids)
        return ids.compactMap { people[$0] }.map { Entry(member: $0, name: SearchText($0.nickname)) }
    }

    private func ids(of workspace: WorkspaceID) async throws -> [UserID] {
        let now = EventLoop.preciseNow
        if let kept = kept.withLock({ $0[workspace] }), now - kept.readAt < Self.lifetime { return kept.ids }
        var ids: [UserID] = []
        var next: UserID?
        repeat {
            let page = try await workspaces.members(of: workspace, after: next)
            ids += page.users
            next = page.next
        } while next != nil
        kept.withLock { kept in
            if kept.count >= Self.maxWorkspaces { kept.removeAll() }
            kept[workspace] = Kept(ids: ids, readAt: now)
        }
        return ids
    }
}
