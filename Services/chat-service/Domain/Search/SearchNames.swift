import Contract
import Search
import ServiceKit
import Wire

/// Resolves the names of a search's filters: members, rooms, kinds of content and dates.
struct SearchNames: Sendable {
    let access: RoomAccess
    let people: MemberDirectory
    let times: SearchTimes

    /// Resolves filters. Several values of one kind widen it (`from:a from:b` is either), two dates narrow it, and a name that
    /// nobody has finds nothing.
    ///
    /// - Parameter zone: the time zone of days; nil for the user's own.
    func filters(
        _ typed: [SearchQuery.TypedFilter], in workspace: WorkspaceID, for user: UserID, zone: String?
    ) async throws -> SearchRequest.Filters {
        var filters = SearchRequest.Filters()
        let dates = typed.filter { $0.filter == .before || $0.filter == .after }.map(\.value)
        let moments = try await times.moments(dates, in: zone, for: user)
        for filter in typed {
            switch (filter.filter, filter.isExcluded) {
            case (.from, false):
                filters.authors = (filters.authors ?? []) + (try await authors(filter.value, in: workspace, user))
            case (.from, true):
                filters.hiddenAuthors.formUnion(try await authors(filter.value, in: workspace, user))
            case (.room, false):
                filters.rooms = (filters.rooms ?? []).union(try await rooms(filter.value, in: workspace, user))
            case (.room, true):
                filters.excludedRooms.formUnion(try await rooms(filter.value, in: workspace, user))
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

    /// A member's id, or every member of this nickname, with or without `@`.
    private func authors(_ name: String, in workspace: WorkspaceID, _ user: UserID) async throws -> [UserID] {
        if name == "me" || name == "나" { return [user] }
        if let id = Int64(name) { return [UserID(id)] }
        let wanted = SearchText(name.hasPrefix("@") ? String(name.dropFirst()) : name)
        return try await people.members(of: workspace).filter { $0.name.scalars == wanted.scalars }.map(\.member.id)
    }

    /// A room's key such as `channel-7`, the channels of this name, with or without `#`, or the DMs with members of this
    /// nickname, with or without `@`.
    private func rooms(_ name: String, in workspace: WorkspaceID, _ user: UserID) async throws -> [RoomID] {
        if let room = RoomID(name) { return [room] }
        var found: [RoomID] = []
        if !name.hasPrefix("@") {
            let wanted = SearchText(name.hasPrefix("#") ? String(name.dropFirst()) : name)
            found += try await access.channels(of: user, in: workspace)
                .filter { SearchText($0.name).scalars == wanted.scalars }.map(\.room)
        }
        if !name.hasPrefix("#"), Int64(name) == nil {
            let opponents = Set(try await authors(name, in: workspace, user))
            if opponents.isEmpty { return found }
            found += try await access.dms(of: user, in: workspace)
                .filter { opponents.contains($0.opponent(of: user)) }.map(\.room)
        }
        return found
    }

    private static func trait(_ name: String) throws(Failure) -> SearchEntry.Traits {
        switch name.lowercased() {
        case "file", "파일": .file
        case "image", "사진", "이미지": .image
        case "link", "링크": .link
        case "reaction", "반응": .reaction
        default: throw .invalid("has is file, image, link or reaction.")
        }
    }
}
