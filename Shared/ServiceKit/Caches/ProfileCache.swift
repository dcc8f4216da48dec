public import Contract
internal import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// People as others see them, asked of auth-service in bulk and kept until they change.
///
/// A change is told by a hint. While the hints cannot be heard, and for those who have heard none for `lifetime`, what is
/// kept is asked for again; when auth-service does not answer, the last known is served, and who is not known at all is a
/// failure: never a wrong name.
public final class ProfileCache: Sendable {
    private struct Entry {
        var profile: AuthClient.Profile
        var fetchedAt: UInt64
        var isStale = false
    }

    private struct State {
        var entries: [UserID: Entry] = [:]
        /// Versions told of people who were not kept then: their profile may be on its way, and older.
        var told: [UserID: Int64] = [:]
        /// Grows when hints may have been missed; entries fetched before are stale.
        var validFrom: UInt64 = 0
    }

    private static let toldLimit = 10_000

    private let auth: AuthClient
    private let state = Mutex(State())
    private let capacity: Int
    private let lifetime: UInt64

    /// The Redis channel of changes.
    static let channel = "invalidate:users"

    /// - Parameter capacity: people kept at most, about 300 bytes each.
    public init(auth: AuthClient, capacity: Int = 100_000, lifetime: Duration = .seconds(600)) {
        self.auth = auth
        self.capacity = capacity
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// The profiles of those users who exist.
    public func members(_ users: some Sequence<UserID>) async throws -> [UserID: MemberView] {
        var wanted = Set(users)
        var found: [UserID: MemberView] = [:]
        found.reserveCapacity(wanted.count)
        let old = state.withLock { state -> [UserID: MemberView] in
            var old: [UserID: MemberView] = [:]
            let oldest = max(state.validFrom, EventLoop.preciseNow &- lifetime)
            for user in wanted {
                guard let entry = state.entries[user] else { continue }
                if entry.isStale || entry.fetchedAt < oldest {
                    old[user] = entry.profile.member
                } else {
                    found[user] = entry.profile.member
                }
            }
            return old
        }
        wanted.subtract(found.keys)
        if wanted.isEmpty { return found }
        do {
            for profile in try await fetch(Array(wanted)) { found[profile.member.id] = profile.member }
        } catch {
            guard old.count == wanted.count else { throw error }
            found.merge(old) { fresh, _ in fresh }
        }
        return found
    }

    /// The profile of a user who must exist.
    public func member(_ user: UserID) async throws -> MemberView {
        guard let member = try await members([user])[user] else { throw Failure.notFound }
        return member
    }

    private func fetch(_ users: [UserID]) async throws -> [AuthClient.Profile] {
        var profiles: [AuthClient.Profile] = []
        for start in stride(from: 0, to: users.count, by: Self.bulk) {
            let some = Array(users[start..<min(start + Self.bulk, users.count)])
            let askedAt = EventLoop.preciseNow
            let answer = try await auth.profiles(of: some)
            keep(answer, askedAt)
            profiles += answer
        }
        return profiles
    }

    private static let bulk = 1000

    private func keep(_ profiles: [AuthClient.Profile], _ askedAt: UInt64) {
        state.withLock { state in
            if state.entries.count + profiles.count > capacity { state.entries.removeAll(keepingCapacity: true) }
            for profile in profiles {
                let user = profile.member.id
                if let known = state.entries[user], known.profile.version > profile.version { continue }
                var entry = Entry(profile: profile, fetchedAt: askedAt)
                entry.isStale = state.told.removeValue(forKey: user).map { $0 > profile.version } ?? false
                state.entries[user] = entry
            }
        }
    }

    // MARK: Following changes

    /// Listens to changes for as long as `subscriber` lives; to be called on a loop.
    public func follow(_ subscriber: RedisSubscriber) -> RedisSubscription {
        subscriber.listen(to: Self.channel) { [weak self] event in
            switch event {
            case .message(let bytes): self?.changed(bytes)
            case .confirmed, .gap, .lost: self?.forgetFreshness()
            }
        }
    }

    private func changed(_ hint: [UInt8]) {
        guard let json = try? JSONValue(parsing: hint), let user = json["user_id"]?.string.flatMap(UserID.init),
            let version = json["version"]?.int
        else { return }
        state.withLock { state in
            if let known = state.entries[user] {
                if known.profile.version < version { state.entries[user]?.isStale = true }
            } else {
                if state.told.count >= Self.toldLimit { state.told.removeAll(keepingCapacity: true) }
                state.told[user] = Int64(version)
            }
        }
    }

    private func forgetFreshness() { state.withLock { $0.validFrom = EventLoop.preciseNow } }
}
