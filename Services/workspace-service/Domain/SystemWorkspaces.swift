import Contract
import Postgres
import ServiceKit
import Telemetry
import Wire

/// The workspaces that all users of an API key join automatically. They are created at start.
struct SystemWorkspaces: Sendable {
    let workspaces: Workspaces
    let slugs: [String]
    /// The path of their cover image.
    let image: String
    /// Their owner. If it is nil, clients see the owner id 0, which is no user's.
    let owner: UserID?
    let log: Log

    /// Names to try if users have taken the slug as the name of their workspace.
    private static let nameAttempts = 100

    /// Creates the missing workspaces and sets the owner of all, except of those that the owner is banned from.
    func prepare() async throws {
        for slug in slugs { try await create(slug) }
        guard let owner else { return }
        for (_, id) in try await workspaces.store.find(slugs: slugs) {
            try await setOwner(owner, of: id)
        }
    }

    /// Adds a user to these workspaces. A workspace that its owner has deleted is created again.
    func join(_ user: UserID, slugs wanted: [String]) async throws {
        var found = try await workspaces.store.find(slugs: wanted)
        let missing = Set(wanted).subtracting(found.map(\.slug))
        if !missing.isEmpty {
            // A slug unknown to this service means that the services run with different API keys.
            guard missing.isSubset(of: slugs) else { throw Failure.unavailable }
            try await prepare()
            found = try await workspaces.store.find(slugs: wanted)
        }
        for (_, id) in found { try await join(user, id) }
    }

    private func join(_ user: UserID, _ id: WorkspaceID) async throws {
        guard try await workspaces.members.role(of: user, in: id) == .outsider else { return }
        let isNew = try await workspaces.changing(id, by: user, admitsLockedOut: true) { workspace, _, tx in
            try await add(user, to: workspace, in: tx)
        }
        guard isNew else { return }
        workspaces.facts.hint(id, user: user)
        workspaces.facts.tell(.entered, of: id, .member(user, of: nil))
    }

    private func create(_ slug: String) async throws {
        for number in 1...Self.nameAttempts {
            let name = number == 1 ? slug : "\(slug) \(number)"
            let exists = try await workspaces.facts.outbox.transaction { tx in
                if try await !workspaces.store.find(slugs: [slug], in: tx).isEmpty { return true }
                let now = Timestamp.now
                guard
                    let workspace = try await workspaces.store.insert(
                        slug: slug, name: name, image: image, at: now, in: tx)
                else { return false }
                _ = try await workspaces.channels.insert(
                    workspace.id, name: Workspaces.defaultChannel, description: nil, image: nil, owner: nil,
                    isDefault: true, at: now, in: tx)
                return true
            }
            if exists { return }
        }
        throw Failure.serverError
    }

    private func setOwner(_ owner: UserID, of id: WorkspaceID) async throws {
        let changed = try await workspaces.changing(id, by: owner, admitsLockedOut: true) {
            workspace, role, tx -> (owned: (workspace: Workspace, channel: Channel?), entered: Channel?)? in
            if role == .owner { return nil }
            if try await !add(owner, to: workspace, in: tx), role == .outsider {
                log.warning("the owner of system workspaces is banned from one", ["workspace": .id(id)])
                return nil
            }
            let entered = try await role == .guest ? workspaces.promoteGuest(owner, of: workspace, in: tx) : nil
            return (try await workspaces.setOwner(owner, of: id, in: tx), entered)
        }
        guard let (owned, entered) = changed else { return }
        if let entered { workspaces.facts.tell(.entered, of: id, .member(owner, of: entered.id)) }
        workspaces.facts.tellOwner(of: owned.workspace, owned.channel)
        workspaces.facts.hint(id)
        workspaces.facts.hint(id, user: owner)
    }

    private func add(_ user: UserID, to workspace: Workspace, in tx: PostgresTransaction) async throws -> Bool {
        // A banned user stays outside, and signs in all the same.
        let addition = try await workspaces.members.add(user, to: workspace.id, at: .now, in: tx)
        guard addition == .added || addition == .lockedOut else { return false }
        try await workspaces.publish(addition, of: user, to: workspace, in: tx)
        return true
    }
}
