import Contract
import Postgres
import ServiceKit
import Wire

/// The workspaces that everybody of an API key is in, made at start.
struct SystemWorkspaces: Sendable {
    let workspaces: Workspaces
    let slugs: [String]
    /// The path of the picture that they have.
    let image: String
    /// Who manages them; nobody where it is nil: then clients are shown an owner with the id 0, which nobody has.
    let owner: UserID?

    /// Names tried for a slug whose own name a user's workspace has.
    private static let nameAttempts = 100

    /// Makes those that are missing, and gives all to their owner.
    func prepare() async throws {
        for slug in slugs { try await make(slug) }
        guard let owner else { return }
        for (_, id) in try await workspaces.store.find(slugs: slugs, in: workspaces.database) {
            try await give(id, to: owner)
        }
    }

    /// Brings a user into each of these; one that its owner has deleted is made anew.
    func enter(_ user: UserID, slugs wanted: [String]) async throws {
        var found = try await workspaces.store.find(slugs: wanted, in: workspaces.database)
        let missing = Set(wanted).subtracting(found.map(\.slug))
        if !missing.isEmpty {
            // What this service has not been told of it cannot make: the keys of the services differ.
            guard missing.isSubset(of: slugs) else { throw Failure.unavailable }
            try await prepare()
            found = try await workspaces.store.find(slugs: wanted, in: workspaces.database)
        }
        for (_, id) in found { try await enter(user, id) }
    }

    private func enter(_ user: UserID, _ id: WorkspaceID) async throws {
        guard try await workspaces.members.standing(user, in: id, of: workspaces.database) == .stranger else { return }
        let isNew = try await workspaces.changing(id, by: user) { workspace, _, tx in
            try await add(user, to: workspace, in: tx)
        }
        if isNew { workspaces.facts.hint(id, user: user) }
    }

    private func make(_ slug: String) async throws {
        for number in 1...Self.nameAttempts {
            let name = number == 1 ? slug : "\(slug) \(number)"
            let isThere = try await workspaces.facts.outbox.transaction { tx in
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
            if isThere { return }
        }
        throw Failure.serverError
    }

    private func give(_ id: WorkspaceID, to owner: UserID) async throws {
        let isChanged = try await workspaces.changing(id, by: owner) { workspace, standing, tx in
            if standing == .owner { return false }
            _ = try await add(owner, to: workspace, in: tx)
            try await workspaces.setOwner(owner, of: id, in: tx)
            return true
        }
        if isChanged { workspaces.facts.hint(id) }
    }

    private func add(_ user: UserID, to workspace: Workspace, in tx: PostgresTransaction) async throws -> Bool {
        guard try await workspaces.members.add(user, to: workspace.id, at: .now, in: tx) else { return false }
        try await workspaces.facts.memberAdded(user, to: workspace, in: tx)
        return true
    }
}
