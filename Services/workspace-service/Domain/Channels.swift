import Contract
import Postgres
import ServiceKit
import Wire

/// Creates, edits and deletes channels, and changes their members.
struct Channels: Sendable {
    let workspaces: Workspaces
    let store: ChannelStore
    let members: ChannelMemberStore
    let facts: WorkspaceFactPublisher
    let limits: ChannelLimits

    func create(
        in id: WorkspaceID, name: String, description: String?, image: String?, by user: UserID
    ) async throws -> Channel {
        let channel = try await workspaces.changing(id, by: user) { workspace, role, tx in
            try Policy.createChannel(role, try await store.counts(id, ownedBy: user, in: tx), limits)
            let now = Timestamp.now
            let channel = try await store.insert(
                id, name: name, description: description, image: image, owner: user, at: now, in: tx)
            _ = try await members.add(user, to: channel, at: now, in: tx)
            try await facts.channelCreated(channel, of: workspace, in: tx)
            try await facts.channelMemberAdded(user, to: channel, of: workspace, in: tx)
            return channel
        }
        facts.hint(id, channel: channel.id)
        facts.hint(id, channel: channel.id, user: user)
        facts.tell(.created, channel)
        return channel
    }

    /// Changes the values that are not nil.
    func edit(
        _ reference: ChannelReference, of id: WorkspaceID, name: String?, description: String?, image: String?,
        by user: UserID
    ) async throws -> Channel {
        let channel = try await changing(reference, of: id, by: user) { channel, place, workspace, tx in
            try Policy.manage(place.role)
            let edited = try await store.edit(
                channel.id, name: name, description: description, image: image, in: tx)
            try await facts.channelChanged(edited, of: workspace, in: tx)
            return edited
        }
        facts.hint(id, channel: channel.id)
        facts.tell(.edited, channel)
        return channel
    }

    func delete(
        _ reference: ChannelReference, of id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws {
        let channel = try await workspaces.changing(id, by: user) { workspace, workspaceRole, tx in
            let (channel, place) = try await find(reference, of: id, for: user, workspaceRole, in: tx)
            try Policy.delete(channel, place.role, in: workspaceRole)
            try await store.delete(channel.id, in: tx)
            try await facts.channelDeleted(channel, of: workspace, in: tx)
            let event = AuditEvent(
                .channelDeleted, by: user, subject: RoomID(channel.id).description, from: origin)
            try await workspaces.audit.record(event, of: id, in: tx)
            return channel
        }
        facts.hint(id, channel: channel.id)
        facts.tell(.deleted, channel)
    }

    func leave(_ reference: ChannelReference, of id: WorkspaceID, _ user: UserID) async throws {
        let channel = try await changing(reference, of: id, by: user) { channel, place, workspace, tx in
            try Policy.leave(channel, place)
            try await members.remove(user, from: channel.id, in: tx)
            try await facts.channelMemberRemoved(user, from: channel, of: workspace, in: tx)
            return channel
        }
        facts.hint(id, channel: channel.id, user: user)
        facts.tell(.gone, of: id, .member(user, of: channel.id))
    }

    /// Removes another member from the channel.
    func remove(
        _ member: UserID, from reference: ChannelReference, of id: WorkspaceID, by user: UserID,
        from origin: AuditOrigin
    ) async throws {
        let channel = try await workspaces.changing(id, by: user) { workspace, workspaceRole, tx in
            let (channel, place) = try await find(reference, of: id, for: user, workspaceRole, in: tx)
            try Policy.remove(
                from: channel, place.role, in: workspaceRole,
                try await members.place(of: member, in: channel.id, in: tx))
            try await members.remove(member, from: channel.id, in: tx)
            try await facts.channelMemberRemoved(member, from: channel, of: workspace, in: tx)
            let event = AuditEvent(
                .channelMemberRemoved, by: user, to: member, subject: RoomID(channel.id).description, from: origin)
            try await workspaces.audit.record(event, of: id, in: tx)
            return channel
        }
        facts.hint(id, channel: channel.id, user: member)
        facts.tell(.gone, of: id, .member(member, of: channel.id))
    }

    func transferOwnership(
        of reference: ChannelReference, in id: WorkspaceID, to newOwner: UserID, by user: UserID
    ) async throws -> Channel {
        let channel = try await changing(reference, of: id, by: user) { channel, place, workspace, tx in
            try Policy.transfer(
                channel, place.role, toOneself: newOwner == user,
                newOwner: try await members.place(of: newOwner, in: channel.id, in: tx))
            let transferred = try await store.setOwner(newOwner, of: channel.id, in: tx)
            try await facts.channelChanged(transferred, of: workspace, in: tx)
            return transferred
        }
        facts.hint(id, channel: channel.id)
        facts.tell(.edited, channel)
        return channel
    }

    /// Makes a member of the workspace a member of the channel. Idempotent.
    ///
    /// - Throws: `Failure.notFound` if there is no such channel or the user cannot see it.
    func join(_ id: ChannelID, of workspaceID: WorkspaceID, _ user: UserID) async throws {
        let isNew = try await changing(.id(id), of: workspaceID, by: user) { channel, place, workspace, tx in
            try Policy.see(place.role)
            guard try await members.add(user, to: channel, at: .now, in: tx) else { return false }
            try await facts.channelMemberAdded(user, to: channel, of: workspace, in: tx)
            return true
        }
        guard isNew else { return }
        facts.hint(workspaceID, channel: id, user: user)
        facts.tell(.entered, of: workspaceID, .member(user, of: id))
    }

    /// Puts a member of the workspace in a channel. Idempotent.
    func add(
        _ member: UserID, to reference: ChannelReference, of id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws {
        let (channel, isNew) = try await workspaces.changing(id, by: user) { workspace, workspaceRole, tx in
            let (channel, place) = try await find(reference, of: id, for: user, workspaceRole, in: tx)
            try Policy.add(place.role, in: workspaceRole, try await workspaces.members.role(of: member, in: id, in: tx))
            guard try await members.add(member, to: channel, at: .now, in: tx) else { return (channel, false) }
            try await facts.channelMemberAdded(member, to: channel, of: workspace, in: tx)
            let event = AuditEvent(
                .channelMemberAdded, by: user, to: member, subject: RoomID(channel.id).description, from: origin)
            try await workspaces.audit.record(event, of: id, in: tx)
            return (channel, true)
        }
        guard isNew else { return }
        facts.hint(id, channel: channel.id, user: member)
        facts.tell(.entered, of: id, .member(member, of: channel.id))
    }

    /// Runs `body` under the workspace's lock, with the channel and the user's place in it.
    private func changing<Result>(
        _ reference: ChannelReference, of id: WorkspaceID, by user: UserID,
        _ body: (Channel, RoleInChannel, Workspace, PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        try await workspaces.changing(id, by: user) { workspace, role, tx in
            let (channel, place) = try await find(reference, of: id, for: user, role, in: tx)
            return try await body(channel, place, workspace, tx)
        }
    }

    /// The channel of a visible workspace, with the user's place in the channel.
    private func find(
        _ reference: ChannelReference, of id: WorkspaceID, for user: UserID, _ role: WorkspaceRole,
        in tx: PostgresTransaction
    ) async throws -> (Channel, RoleInChannel) {
        try Policy.require(.see, of: role)
        guard let channel = try await store.find(reference, of: id, in: tx) else { throw Failure.notFound }
        return (channel, try await members.place(of: user, in: channel.id, in: tx))
    }
}
