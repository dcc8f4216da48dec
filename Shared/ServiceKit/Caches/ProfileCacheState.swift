internal import Contract
internal import Wire

/// The state of a `ProfileCache`: the cached profiles, newer versions that hints have announced, and the fetches in
/// progress.
struct ProfileCacheState {
    /// A call of auth-service for any number of users. Any number of readers wait for its reply.
    struct Fetch: Hashable {
        let number: Int
        let reply: Task<[UserID: MemberView], any Error>
    }

    /// The profiles that a reader asks for, by where they come from.
    struct Lookup {
        var fresh: [UserID: MemberView] = [:]
        /// The last known profiles that are not fresh.
        var old: [UserID: MemberView] = [:]
        /// The users of each fetch in progress.
        var awaited: [Fetch: [UserID]] = [:]
        /// The users to be fetched.
        var missing: [UserID] = []
    }

    private struct Entry {
        var profile: AuthClient.Profile
        var fetchedAt: UInt64
        /// The newest version that hints have announced.
        var newest: Int64 = 0

        var isStale: Bool { profile.version < newest }
    }

    private var entries: [UserID: Entry] = [:]
    private var fetches: [UserID: Fetch] = [:]
    private var fetchCount = 0
    /// Versions that hints have announced for users without an entry. A fetch in progress may return an older profile.
    private var announced: [UserID: Int64] = [:]
    /// Entries fetched before this time are stale, because hints may have been lost since.
    private var validFrom: UInt64 = 0
    private let capacity: Int

    private static let mostAnnounced = 10_000

    /// - Parameter capacity: profiles kept at most.
    init(capacity: Int) { self.capacity = capacity }

    /// - Parameter oldest: profiles fetched before this time, in monotonic nanoseconds, are not fresh.
    func lookup(_ users: Set<UserID>, oldest: UInt64) -> Lookup {
        var lookup = Lookup()
        lookup.fresh.reserveCapacity(users.count)
        let oldest = max(validFrom, oldest)
        for user in users {
            if let entry = entries[user] {
                if !entry.isStale && entry.fetchedAt >= oldest {
                    lookup.fresh[user] = entry.profile.member
                    continue
                }
                lookup.old[user] = entry.profile.member
            }
            if let fetch = fetches[user] {
                lookup.awaited[fetch, default: []].append(user)
            } else {
                lookup.missing.append(user)
            }
        }
        return lookup
    }

    /// Starts a fetch. Every lookup of one of the users from now on waits for its reply.
    mutating func fetch(
        _ users: [UserID], _ begin: (_ number: Int) -> Task<[UserID: MemberView], any Error>
    ) -> Fetch {
        fetchCount += 1
        let fetch = Fetch(number: fetchCount, reply: begin(fetchCount))
        for user in users { fetches[user] = fetch }
        return fetch
    }

    /// Stores the reply of a fetch that began at `fetchedAt`.
    mutating func store(_ profiles: [AuthClient.Profile], fetchedAt: UInt64) {
        if entries.count + profiles.count > capacity { entries.removeAll(keepingCapacity: true) }
        for profile in profiles {
            let user = profile.member.id
            let known = entries[user]
            if let known, known.profile.version > profile.version { continue }
            // A hint may have come while the profile was fetched.
            let newest = max(announced.removeValue(forKey: user) ?? 0, known?.newest ?? 0)
            entries[user] = Entry(profile: profile, fetchedAt: fetchedAt, newest: newest)
        }
    }

    /// Notes that a fetch has ended, with or without a reply.
    mutating func end(_ number: Int, for users: [UserID]) {
        for user in users where fetches[user]?.number == number { fetches[user] = nil }
    }

    /// Notes a new version of a user's profile. A fetch in progress may return an older one, so later lookups do not
    /// wait for it.
    mutating func profileChanged(_ user: UserID, version: Int64) {
        fetches[user] = nil
        if let known = entries[user] {
            entries[user]?.newest = max(known.newest, version)
        } else {
            if announced.count >= Self.mostAnnounced { announced.removeAll(keepingCapacity: true) }
            // A hint that Redis refused at first arrives after later ones.
            announced[user] = max(announced[user] ?? 0, version)
        }
    }

    /// Marks all entries as stale, because hints may have been lost.
    mutating func invalidateAll(now: UInt64) {
        validFrom = now
        fetches = [:]
    }
}
