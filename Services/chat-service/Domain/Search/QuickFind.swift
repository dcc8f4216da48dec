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
        var channels: [ChannelAccess] = []
        /// DMs by the name of the other member.
        var dms: [(room: DMID, opponent: MemberView)] = []
    }

    /// The most names of each kind.
    private static let limit = 10

    /// Names that contain the text come in this order: the text is all of the name, begins it, begins a word of it, or stands
    /// anywhere else.
    func find(_ text: String, in workspace: WorkspaceID, for user: UserID) async throws -> Found {
        let isGuest = try await access.member(user, of: workspace).isGuest
        let patterns = SearchPattern.alternatives(of: SearchText(text))
        if patterns.isEmpty { return Found() }
        let channels = try await access.channels(of: user, in: workspace)
        let dms = try await access.dms(of: user, in: workspace)
        let members = try await people.members(of: workspace, seenBy: isGuest ? user : nil)
        let names = Dictionary(members.map { ($0.member.id, $0) }) { first, _ in first }
        var found = Found()
        found.users = Self.best(members, patterns, named: \.name).map(\.member)
        found.channels = Self.best(channels.map { ($0, SearchText($0.name)) }, patterns, named: \.1).map(\.0)
        let opponents = dms.compactMap { dm in names[dm.opponent(of: user)].map { (dm.id, $0) } }
        found.dms = Self.best(opponents, patterns, named: \.1.name).map { ($0.0, $0.1.member) }
        return found
    }

    private static func best<Subject>(
        _ subjects: [Subject], _ patterns: [SearchPattern], named name: (Subject) -> SearchText
    ) -> [Subject] {
        let ranked = subjects.enumerated().compactMap { index, subject -> (rank: Int, index: Int)? in
            patterns.compactMap { $0.rank(in: name(subject)) }.min().map { ($0, index) }
        }
        return ranked.sorted { $0 < $1 }.prefix(limit).map { subjects[$0.index] }
    }
}
