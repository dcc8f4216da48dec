public import Contract
public import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// The profiles of users as others see them, fetched from auth-service in bulk and kept until they change.
///
/// A hint announces each change. A profile is fetched again after a change, after `lifetime`, and when hints may have
/// been lost. If auth-service does not answer, readers receive the last known profile. A user without a known profile
/// is an error then, so that a reader never shows a wrong name.
public final class ProfileCache: Sendable {
    private let auth: AuthClient
    private let loops: EventLoopGroup
    private let state: Mutex<ProfileCacheState>
    private let lifetime: UInt64

    /// - Parameters:
    ///   - loops: the loops that fetch; a reader on one of them fetches there.
    ///   - capacity: profiles kept at most, about 300 bytes each.
    public init(
        auth: AuthClient, on loops: EventLoopGroup, capacity: Int = 100_000, lifetime: Duration = .seconds(600)
    ) {
        self.auth = auth
        self.loops = loops
        state = Mutex(ProfileCacheState(capacity: capacity))
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// The profiles of the users that exist.
    public func members(_ users: some Sequence<UserID>) async throws -> [UserID: MemberView] {
        let wanted = Set(users)
        let oldest = CacheAge.oldest(lifetime)
        let lookup = state.withLock { state in
            var lookup = state.lookup(wanted, oldest: oldest)
            var last: ProfileCacheState.Fetch?
            for start in stride(from: 0, to: lookup.missing.count, by: Self.bulk) {
                let some = Array(lookup.missing[start..<min(start + Self.bulk, lookup.missing.count)])
                let fetch = state.fetch(some) { [last] in beginFetch($0, some, after: last) }
                lookup.awaited[fetch] = some
                last = fetch
            }
            return lookup
        }
        var found = lookup.fresh
        do {
            for (fetch, users) in lookup.awaited {
                let reply = try await fetch.reply.value
                for user in users { found[user] = reply[user] }
            }
        } catch {
            guard lookup.fresh.count + lookup.old.count == wanted.count else { throw error }
            found.merge(lookup.old) { new, _ in new }
        }
        return found
    }

    /// The profile of a user that must exist.
    public func member(_ user: UserID) async throws -> MemberView {
        guard let member = try await members([user])[user] else { throw Failure.notFound }
        return member
    }

    private static let bulk = 1000

    /// Fetches in a task of its own, because several readers may wait for it, and one fetch of a reader after the
    /// other.
    private func beginFetch(
        _ number: Int, _ users: [UserID], after earlier: ProfileCacheState.Fetch?
    ) -> Task<[UserID: MemberView], any Error> {
        Task(executorPreference: loops.nearest) { [self] in
            defer { state.withLock { $0.end(number, for: users) } }
            _ = try await earlier?.reply.value
            let fetchedAt = EventLoop.preciseNow
            let profiles = try await auth.profiles(of: users)
            state.withLock { $0.store(profiles, fetchedAt: fetchedAt) }
            return Dictionary(profiles.map { ($0.member.id, $0.member) }) { first, _ in first }
        }
    }

    // MARK: Following changes

    /// Follows hints for as long as `subscriber` lives; call it on `loop`.
    public func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) -> RedisSubscription {
        subscriber.listen(to: ProfileVersion.self, on: loop) { [weak self] event in
            switch event {
            case .message(let profile):
                self?.state.withLock { $0.profileChanged(profile.user, version: profile.version) }
            case .confirmed, .gap, .lost: self?.invalidateAll()
            }
        }
    }

    private func invalidateAll() { state.withLock { $0.invalidateAll(now: EventLoop.preciseNow) } }
}
