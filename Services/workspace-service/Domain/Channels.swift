import Contract
import Postgres
import ServiceKit
import Wire

/// Makes, changes and ends channels, and lets people in and out.
struct Channels: Sendable {
    let workspaces: Workspaces
    let store: ChannelStore
    let members: ChannelMemberStore
    let facts: WorkspaceFactPublisher

    func create(
        in id: WorkspaceID, name: String, description: String?, image: String?, by user: UserID
    ) async throws -> Channel {
        let channel = try await duplicatesRefused {
            try await workspaces.changing(id, by: user) { workspace, standing, tx in
                try Policy.see(standing)
                let now = Timestamp.now
                let channel = try await store.insert(
                    id, name: name, description: description, image: image, owner: user, at: now, in: tx)
                _ = try await members.add(user, to: channel, at: now, in: tx)
                try await facts.channelMemberAdded(user, to: channel, of: workspace, in: tx)
                return channel
            }
        }
        facts.hint(id, channel: channel.id)
        return channel
    }

    /// Changes what is not nil.
    func edit(
        _ reference: ChannelReference, of id: WorkspaceID, name: String?, description: String?, image: String?,
        by user: UserID
    ) async throws -> Channel {
        let channel = try await duplicatesRefused {
            try await changing(reference, of: id, by: user) { channel, standing, workspace, tx in
                try Policy.manage(standing)
                let edited = try await store.edit(
                    channel.id, name: name, description: description, image: image, in: tx)
                try await facts.channelChanged(edited, of: workspace, in: tx)
                return edited
            }
        }
        facts.hint(id, channel: channel.id)
        return channel
    }

    func delete(_ reference: ChannelReference, of id: WorkspaceID, by user: UserID) async throws {
        let channel = try await changing(reference, of: id, by: user) { channel, standing, workspace, tx in
            try Policy.delete(channel, standing)
            try await store.delete(channel.id, in: tx)
            try await facts.channelDeleted(channel, of: workspace, in: tx)
            return channel
        }
        facts.hint(id, channel: channel.id)
    }

    func leave(_ reference: ChannelReference, of id: WorkspaceID, _ user: UserID) async throws {
        let channel = try await changing(reference, of: id, by: user) { channel, standing, workspace, tx in
            try Policy.leave(channel, standing)
            try await members.remove(user, from: channel.id, in: tx)
            try await facts.channelMemberRemoved(user, from: channel, of: workspace, in: tx)
            return channel
        }
        facts.hint(id, channel: channel.id, user: user)
    }

    func handOver(
        _ reference: ChannelReference, of id: WorkspaceID, to heir: UserID, by user: UserID
    ) async throws -> Channel {
        let channel = try await changing(reference, of: id, by: user) { channel, standing, workspace, tx in
            try Policy.handOver(
                channel, standing, toOneself: heir == user,
                heir: try await members.standing(heir, in: channel.id, of: tx))
            let handedOver = try await store.setOwner(heir, of: channel.id, in: tx)
            try await facts.channelChanged(handedOver, of: workspace, in: tx)
            return handedOver
        }
        facts.hint(id, channel: channel.id)
        return channel
    }

    /// Makes a member of the workspace a member of the channel; once is as good as often.
    ///
    /// - Throws: `Failure` with `notFound` where there is no such channel, or the user does not see it.
    func join(_ id: ChannelID, of workspaceID: WorkspaceID, _ user: UserID) async throws {
        let isNew = try await changing(.id(id), of: workspaceID, by: user) { channel, standing, workspace, tx in
            try Policy.see(standing)
            guard try await members.add(user, to: channel, at: .now, in: tx) else { return false }
            try await facts.channelMemberAdded(user, to: channel, of: workspace, in: tx)
            return true
        }
        if isNew { facts.hint(workspaceID, channel: id, user: user) }
    }

    private func changing<Result>(
        _ reference: ChannelReference, of id: WorkspaceID, by user: UserID,
        _ body: (Channel, ChannelStanding, Workspace, PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        try await workspaces.changing(id, by: user) { workspace, standing, tx in
            try Policy.see(standing)
            guard let channel = try await store.find(reference, of: id, in: tx) else { throw Failure.notFound }
            return try await body(channel, try await members.standing(user, in: channel.id, of: tx), workspace, tx)
        }
    }
}
