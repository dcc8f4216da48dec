import Contract
import Search
import ServiceKit
import Wire

/// Resolves the names of a search's filters: members, rooms, kinds of content and dates.
struct SearchNames: Sendable {
    let people: MemberDirectory
    let times: SearchTimes

    /// Resolves filters. Several values of one kind widen it (`from:a from:b` is either), two dates narrow it, and a name that
    /// nobody has finds nothing.
    ///
    /// - Parameters:
    ///   - rooms: the rooms of the user in the workspace.
    ///   - zone: the time zone of days; nil for the user's own.
    func filters(
        _ typed: [SearchQuery.TypedFilter], in workspace: WorkspaceID, among rooms: SearchRooms, for user: UserID,
        zone: String?
    ) async throws -> SearchRequest.Filters {
        var filters = SearchRequest.Filters()
        let dates = typed.filter { $0.filter == .before || $0.filter == .after }.map(\.value)
        let moments = try await times.moments(dates, in: zone, for: user)
        let opponents = rooms.dms.map { $0.opponent(of: user) }
        let members = try await typed.contains(where: Self.hasName) ? people.members(of: workspace, and: opponents) : []
        func authors(_ name: String) -> [UserID] { Self.authors(name, members, user) }
        func named(_ name: String) -> [RoomID] { Self.rooms(name, rooms, members, user) }
        for filter in typed {
            switch (filter.filter, filter.isExcluded) {
            case (.from, false):
                filters.authors = (filters.authors ?? []) + authors(filter.value)
            case (.from, true):
                filters.hiddenAuthors.formUnion(authors(filter.value))
            case (.room, false):
                filters.rooms = (filters.rooms ?? []).union(named(filter.value))
            case (.room, true):
                filters.excludedRooms.formUnion(named(filter.value))
            case (.has, false): filters.traits.insert(try Self.trait(filter.value))
            case (.has, true): filters.excludedTraits.insert(try Self.trait(filter.value))
            case (.before, false):
                filters.before = min(filters.before ?? .latest, moments[filter.value] ?? .latest)
            case (.after, false):
                filters.after = max(filters.after ?? .earliest, moments[filter.value] ?? .earliest)
            case (.before, true), (.after, true): throw Failure.invalid("before and after cannot be excluded.")
            }
        }
        return filters
    }

    /// Whether a filter may have the nickname of a member. The key of a room may be one, but not where rooms are named.
    private static func hasName(_ typed: SearchQuery.TypedFilter) -> Bool {
        let mayName = typed.filter == .from || (typed.filter == .room && RoomID(typed.value) == nil)
        return mayName && !isCaller(typed.value) && Int64(typed.value) == nil
    }

    /// A member's id, or every member of this nickname, with or without `@`.
    private static func authors(_ name: String, _ members: [MemberDirectory.Entry], _ user: UserID) -> [UserID] {
        if isCaller(name) { return [user] }
        if let id = Int64(name) { return [UserID(id)] }
        let wanted = SearchText(name.hasPrefix("@") ? String(name.dropFirst()) : name)
        return members.filter { $0.name.scalars == wanted.scalars }.map(\.member.id)
    }

    private static func isCaller(_ name: String) -> Bool { name == "me" || name == "나" }

    /// A room's key such as `channel-7`, the channels of this name, with or without `#`, or the DMs with members of this
    /// nickname, with or without `@`.
    private static func rooms(
        _ name: String, _ rooms: SearchRooms, _ members: [MemberDirectory.Entry], _ user: UserID
    ) -> [RoomID] {
        if let room = RoomID(name) { return [room] }
        var found: [RoomID] = []
        if !name.hasPrefix("@") {
            let wanted = SearchText(name.hasPrefix("#") ? String(name.dropFirst()) : name)
            found += rooms.channels.filter { SearchText($0.name).scalars == wanted.scalars }.map(\.room)
        }
        if !name.hasPrefix("#"), Int64(name) == nil {
            let opponents = Set(authors(name, members, user))
            found += rooms.dms.filter { opponents.contains($0.opponent(of: user)) }.map(\.room)
        }
        return found
    }

    private static func trait(_ name: String) throws(Failure) -> SearchEntry.Traits {
        switch name.lowercased() {
        case "file", "파일": .file
        case "image", "사진", "이미지": .image
        case "link", "링크": .link
        case "reaction", "반응": .reaction
        default: throw .invalid("has must be file, image, link or reaction.")
        }
    }
}
