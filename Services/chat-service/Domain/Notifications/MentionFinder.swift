import Contract
import ServiceKit
import Wire

/// Finds the mentions of a new text. A text without `@` costs no lookup, only `@here` asks for the present members, and only a text
/// that names members asks for the blocks of its author.
struct MentionFinder: Sendable {
    let members: RoomMembers
    let present: PresentMembers
    let profiles: ProfileCache
    let blocks: BlockCache

    /// - Parameter author: the author of the text, a member of the room.
    func find(in content: String, of target: MessageTarget, by author: UserID) async throws -> MessageMentions {
        let found = try await members.mentions(in: content, of: target.room, in: target.workspace, by: author)
        let blockers = try await blockers(among: found.users, of: author)
        guard found.here else { return MessageMentions(found.list, blockers: blockers) }
        return MessageMentions(
            found.list, present: try await present.find(in: target, for: author), blockers: blockers)
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
        return MessageMentions(
            found.list.map { $0.named(ids, people) }, present: found.present, blockers: found.blockers)
    }

    /// The users that have blocked the author. None if they are not known: a send does not fail for that.
    private func blockers(among users: [UserID], of author: UserID) async throws -> [UserID] {
        guard users.contains(where: { $0 != author }) else { return [] }
        do {
            let blockers = Set(try await blocks.blocks(of: author).blockers)
            return users.filter(blockers.contains)
        } catch let error as CancellationError {
            throw error
        } catch {
            return []
        }
    }
}
