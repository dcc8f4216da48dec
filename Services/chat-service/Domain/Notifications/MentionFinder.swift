import Contract
import ServiceKit
import Wire

/// Finds the mentions of a new text. A text without `@` costs no lookup, and only `@here` asks for the present members.
struct MentionFinder: Sendable {
    let members: RoomMembers
    let present: PresentMembers
    let profiles: ProfileCache

    /// - Parameter author: the author of the text, a member of the room.
    func find(in content: String, of target: MessageTarget, by author: UserID) async throws -> MessageMentions {
        let found = try await members.mentions(in: content, of: target.room, in: target.workspace, by: author)
        guard found.here else { return MessageMentions(found.list) }
        return MessageMentions(found.list, present: try await present.find(in: target, for: author))
    }

    /// The same, with the nicknames of users that the text names by id.
    func findNamed(in content: String, of target: MessageTarget, by author: UserID) async throws -> MessageMentions {
        let found = try await find(in: content, of: target, by: author)
        let ids = Mentions.ids(in: content)
        let named = found.list.compactMap { mention in
            if case .user(let user, _) = mention, ids.contains(user) { user } else { nil }
        }
        guard !named.isEmpty else { return found }
        let people = try await profiles.members(named)
        return MessageMentions(found.list.map { $0.named(named, people) }, present: found.present)
    }
}
