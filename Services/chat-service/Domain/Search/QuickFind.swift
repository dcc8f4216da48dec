import Contract
import Search
import ServiceKit
import Wire

/// Finds people, channels and DMs by name while somebody types it: a quick switcher.
struct QuickFind: Sendable {
    let access: RoomAccess
    let people: MemberDirectory

    struct Found: Sendable {
        var users: [MemberView] = []
        /// Those of the user, then others that the user can see.
        var channels: [ChannelAccess] = []
        /// DMs by the name of the other member.
        var dms: [(room: DMID, opponent: MemberView)] = []
    }

    /// The most names of each kind.
    private static let limit = 10

    /// Names that contain the text come in this order: the text is all of the name, begins it, begins a word of it, or stands
    /// anywhere else. The user's own channels come before all others, and of equal names those of people in the user's DMs.
    func find(_ text: String, in workspace: WorkspaceID, for user: UserID) async throws -> Found {
        let isGuest = try await access.member(user, of: workspace).isGuest
        let patterns = SearchPattern.alternatives(of: SearchText(text))
        if patterns.isEmpty { return Found() }
        let channels = try await access.visibleChannels(of: user, in: workspace)
        let dms = try await access.dms(of: user, in: workspace)
        let members = try await people.members(of: workspace, seenBy: isGuest ? user : nil)
        let names = Dictionary(members.map { ($0.member.id, $0) }) { first, _ in first }
        var found = Found()
        let opponents = dms.compactMap { dm in names[dm.opponent(of: user)].map { (dm.id, $0) } }
        let inDMs = Set(opponents.map(\.1.member.id))
        found.users = Self.best(members, patterns, named: \.name) { person, rank in
            2 * rank + (inDMs.contains(person.member.id) ? 0 : 1)
        }.map(\.member)
        let named = channels.map { (channel: $0, name: SearchText($0.name)) }
        found.channels = Self.best(named, patterns, named: \.name) { subject, rank in
            rank + (subject.channel.isMember ? 0 : SearchPattern.ranks)
        }.map(\.channel)
        found.dms = Self.best(opponents, patterns, named: \.1.name).map { ($0.0, $0.1.member) }
        return found
    }

    /// The best names, by their ranks among all names; of equal ones the first.
    private static func best<Subject>(
        _ subjects: [Subject], _ patterns: [SearchPattern], named name: (Subject) -> SearchText,
        by order: (_ subject: Subject, _ rank: Int) -> Int = { $1 }
    ) -> [Subject] {
        let ranked = subjects.enumerated().compactMap { index, subject -> (rank: Int, index: Int)? in
            patterns.compactMap { $0.rank(in: name(subject)) }.min().map { (order(subject, $0), index) }
        }
        return ranked.sorted { $0 < $1 }.prefix(limit).map { subjects[$0.index] }
    }
}
