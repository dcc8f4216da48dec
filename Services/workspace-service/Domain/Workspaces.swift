import Contract
import Postgres
import ServiceKit
import Wire

/// Makes, changes and ends workspaces. Rules are checked under the workspace's lock, so that races end in one state.
struct Workspaces: Sendable {
    let database: PostgresPool
    let store: WorkspaceStore
    let members: MemberStore
    let channels: ChannelStore
    let channelMembers: ChannelMemberStore
    let facts: WorkspaceFactPublisher
    let treasury: Treasury

    /// The name of the channel that every member is in.
    static let defaultChannel = "일반"
    private static let deletionDeadline = Duration.seconds(60)

    /// A new workspace, paid for with coins, which come back when it does not come about.
    func create(_ name: String, description: String, image: String, by user: UserID) async throws -> Workspace {
        try await treasury.paying(user) { reserve in
            try await duplicatesRefused {
                try await facts.outbox.transaction { tx in
                    let now = Timestamp.now
                    let workspace = try await store.insert(
                        name: name, description: description, image: image, owner: user, at: now, in: tx)
                    _ = try await channels.insert(
                        workspace.id, name: Self.defaultChannel, description: nil, image: nil, owner: user,
                        isDefault: true, at: now, in: tx)
                    _ = try await members.add(user, to: workspace.id, at: now, in: tx)
                    try await facts.memberAdded(user, to: workspace, in: tx)
                    if let reserve { try await facts.capture(reserve, in: tx) }
                    return workspace
                }
            }
        }
    }

    /// Changes what is not nil.
    func edit(
        _ id: WorkspaceID, name: String?, description: String?, image: String?, by user: UserID
    ) async throws -> Workspace {
        let workspace = try await duplicatesRefused {
            try await changing(id, by: user) { _, standing, tx in
                try Policy.manage(standing)
                let edited = try await store.edit(id, name: name, description: description, image: image, in: tx)
                try await facts.workspaceChanged(edited, in: tx)
                return edited
            }
        }
        return workspace
    }

    /// Deletes the workspace with all that is in it, in one transaction; with hundreds of thousands
    /// of memberships it takes seconds.
    func delete(_ id: WorkspaceID, by user: UserID) async throws {
        try await database.within(Self.deletionDeadline).transaction(attempts: 3) { tx in
            let (workspace, standing) = try await lock(id, for: user, in: tx)
            try Policy.manage(standing)
            try await store.delete(id, in: tx)
            try await facts.workspaceDeleted(workspace, in: tx)
        }
        facts.outbox.wake()
        facts.hint(id)
    }

    /// Fails unless the user owns the workspace; for asking elsewhere only on behalf of those who may.
    func requireOwner(_ user: UserID, of id: WorkspaceID) async throws {
        try Policy.manage(try await members.standing(user, in: id, of: database))
    }

    /// Makes a member of a registered user.
    func invite(_ invitee: UserID, to id: WorkspaceID, by user: UserID) async throws {
        try await changing(id, by: user) { workspace, standing, tx in
            try Policy.manage(standing)
            guard try await members.add(invitee, to: id, at: .now, in: tx) else {
                throw Failure.duplicate("The user is a member already.")
            }
            try await facts.memberAdded(invitee, to: workspace, in: tx)
        }
        facts.hint(id, user: invitee)
    }

    func leave(_ id: WorkspaceID, _ user: UserID) async throws {
        try await changing(id, by: user) { workspace, standing, tx in
            try Policy.leave(standing, ownsChannels: try await members.ownsChannels(user, in: id, of: tx))
            try await members.remove(user, from: id, in: tx)
            try await facts.memberRemoved(user, from: workspace, in: tx)
        }
        facts.hint(id, user: user)
    }

    /// Hands the workspace over, and with it the default channel.
    func handOver(_ id: WorkspaceID, to heir: UserID, by user: UserID) async throws -> Workspace {
        let workspace = try await changing(id, by: user) { _, standing, tx in
            try Policy.handOver(
                standing, toOneself: heir == user, heir: try await members.standing(heir, in: id, of: tx))
            return try await setOwner(heir, of: id, in: tx)
        }
        facts.hint(id)
        return workspace
    }

    /// Makes a member the owner, of the default channel too.
    @discardableResult
    func setOwner(_ owner: UserID, of id: WorkspaceID, in tx: PostgresTransaction) async throws -> Workspace {
        let workspace = try await store.setOwner(owner, of: id, in: tx)
        try await channels.setDefaultOwner(owner, of: id, in: tx)
        try await facts.workspaceChanged(workspace, in: tx)
        return workspace
    }

    /// Runs `body` under the workspace's lock, with what the user is to it now.
    func changing<Result>(
        _ id: WorkspaceID, by user: UserID,
        _ body: (Workspace, Standing, PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        try await facts.outbox.transaction { tx in
            let (workspace, standing) = try await lock(id, for: user, in: tx)
            return try await body(workspace, standing, tx)
        }
    }

    private func lock(
        _ id: WorkspaceID, for user: UserID, in tx: PostgresTransaction
    ) async throws -> (Workspace, Standing) {
        guard let workspace = try await store.lock(id, in: tx) else { throw Failure.notFound }
        return (workspace, try await members.standing(user, in: id, of: tx))
    }
}

/// A name that is taken is a duplicate, whoever came first.
func duplicatesRefused<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let error as PostgresError where error.isUniqueViolation() {
        throw Failure.duplicate("The name is taken.")
    }
}
