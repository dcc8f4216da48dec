import Contract
import ServiceKit
import Wire

/// Decides to which members of a room a message is pushed, for a page of members at a time.
///
/// The number of queries does not depend on the number of members.
struct PushDecisions: Sendable {
    let messages: MessageStore
    let mentions: MentionStore
    let recipients: PushRecipientStore
    let workspaces: WorkspaceClient
    let roomWorkspaces: RoomWorkspaces
    let blocks: BlockCache
    let profiles: ProfileCache
    let badgeStore: BadgeStore

    func decide(_ request: PushDecisionsRequest, at now: Timestamp = .now) async throws -> PushDecisionsReply {
        guard let room = try await roomWorkspaces.key(of: request.room),
            let message = try await messages.find([MessageKey(room, seq: request.seq)]).first,
            message.details.deletedAt == nil
        else {
            return PushDecisionsReply(groups: [.init(reason: .deleted, users: request.users)], badges: [])
        }
        let list = message.traits?.mentions ?? []
        let pushed = PushedMessage(
            mentions: list, words: KeywordSearch(message.content),
            here: list.contains(.here) ? try await mentions.reached(request.users, by: message.key) : [])
        let blocks = try await blocks.blocks(of: [message.author] + request.badges)
        let blockers = Set(blocks[message.author]?.blockers ?? [])
        var groups: [PushReason: [UserID]] = [:]
        var notified: Set<UserID> = []
        let all = try await recipients.list(
            request.users, in: room, thread: message.traits?.thread?.root, at: now)
        for recipient in all {
            let reason = blockers.contains(recipient.user) ? .blocked : recipient.reason(for: pushed, at: now)
            groups[reason, default: []].append(recipient.user)
            if reason.isPush { notified.insert(recipient.user) }
        }
        return PushDecisionsReply(
            groups: PushReason.allCases.compactMap { reason in
                groups[reason].map { PushDecisionsReply.Group(reason: reason, users: $0) }
            },
            badges: try await badges(of: request.badges.filter(notified.contains), hiding: blocks),
            content: notified.isEmpty ? message.content : try await text(of: message))
    }

    /// The content as a notification shows it.
    private func text(of message: StoredMessage) async throws -> String {
        guard message.content.contains("<@") else { return message.content }
        return message.body(try await profiles.members([message].people)).plainContent
    }

    /// The unread messages of users in all their rooms. While workspaces are out of reach, those in the rooms of the others.
    private func badges(
        of users: [UserID], hiding blocks: [UserID: AuthClient.Blocks]
    ) async throws -> [PushDecisionsReply.Badge] {
        if users.isEmpty { return [] }
        let channels = try await workspaces.memberships(of: users)
        let scope = BadgeStore.Scope(of: users, in: channels, hiding: blocks)
        guard let counts = try await badgeStore.unread(of: scope) else { return [] }
        return users.map { PushDecisionsReply.Badge(user: $0, count: counts.unread[$0] ?? 0) }
    }
}
