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

    /// Makes those that are missing.
    func prepare() async throws {
        for slug in slugs {
            try await workspaces.facts.outbox.transaction { tx in
                let now = Timestamp.now
                guard let workspace = try await workspaces.store.insert(slug: slug, image: image, at: now, in: tx)
                else { return }
                _ = try await workspaces.channels.insert(
                    workspace.id, name: Workspaces.defaultChannel, description: nil, image: nil, owner: nil,
                    isDefault: true, at: now, in: tx)
            }
        }
    }

    /// Brings a user into each of these.
    func enter(_ user: UserID, slugs: [String]) async throws {
        for id in try await workspaces.store.find(slugs: slugs, in: workspaces.database) {
            if try await workspaces.members.standing(user, in: id, of: workspaces.database) != .stranger { continue }
            let isNew = try await workspaces.changing(id, by: user) { workspace, _, tx in
                guard try await workspaces.members.add(user, to: id, at: .now, in: tx) else { return false }
                try await workspaces.facts.memberAdded(user, to: workspace, in: tx)
                return true
            }
            if isNew { workspaces.facts.hint(id, user: user) }
        }
    }
}
