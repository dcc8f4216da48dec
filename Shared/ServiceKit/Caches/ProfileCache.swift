public import Contract
internal import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// People as others see them, asked of auth-service in bulk and kept until they change.
///
/// A change is told by a hint. What was kept when hints could no longer be heard, or could be again,
/// is asked for once more, as is what was kept for `lifetime`; when auth-service does not answer,
/// the last known is served, and who is not known at all is a failure: never a wrong name.
public final class ProfileCache: Sendable {
    private let auth: AuthClient
    private let shelf: Mutex<ProfileShelf>
    private let lifetime: UInt64

    /// - Parameter capacity: people kept at most, about 300 bytes each.
    public init(auth: AuthClient, capacity: Int = 100_000, lifetime: Duration = .seconds(600)) {
        self.auth = auth
        shelf = Mutex(ProfileShelf(capacity: capacity))
        self.lifetime = lifetime.wholeNanoseconds
    }

    /// The profiles of those users who exist.
    public func members(_ users: some Sequence<UserID>) async throws -> [UserID: MemberView] {
        let wanted = Set(users)
        let oldest = EventLoop.preciseNow &- lifetime
        let look = shelf.withLock { shelf in
            var look = shelf.look(for: wanted, oldest: oldest)
            var last: ProfileShelf.Question?
            for start in stride(from: 0, to: look.missing.count, by: Self.bulk) {
                let some = Array(look.missing[start..<min(start + Self.bulk, look.missing.count)])
                let question = shelf.ask(for: some) { [last] in ask($0, for: some, after: last) }
                look.awaited[question] = some
                last = question
            }
            return look
        }
        var found = look.fresh
        do {
            for (question, users) in look.awaited {
                let answer = try await question.answer.value
                for user in users { found[user] = answer[user] }
            }
        } catch {
            guard look.fresh.count + look.old.count == wanted.count else { throw error }
            found.merge(look.old) { new, _ in new }
        }
        return found
    }

    /// The profile of a user who must exist.
    public func member(_ user: UserID) async throws -> MemberView {
        guard let member = try await members([user])[user] else { throw Failure.notFound }
        return member
    }

    private static let bulk = 1000

    /// Asks in a task of its own, as more than one may wait for it, and one question after the other.
    private func ask(
        _ number: Int, for users: [UserID], after earlier: ProfileShelf.Question?
    ) -> Task<[UserID: MemberView], any Error> {
        Task(executorPreference: EventLoop.current) { [self] in
            defer { shelf.withLock { $0.end(number, for: users) } }
            _ = try await earlier?.answer.value
            let askedAt = EventLoop.preciseNow
            let profiles = try await auth.profiles(of: users)
            shelf.withLock { $0.keep(profiles, askedAt: askedAt) }
            return Dictionary(profiles.map { ($0.member.id, $0.member) }) { first, _ in first }
        }
    }

    // MARK: Following changes

    /// Listens to changes for as long as `subscriber` lives; to be called on a loop.
    public func follow(_ subscriber: RedisSubscriber) -> RedisSubscription {
        subscriber.listen(to: HintChannel.profiles) { [weak self] event in
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
        shelf.withLock { $0.changed(user, version: Int64(version)) }
    }

    private func forgetFreshness() { shelf.withLock { $0.forgetFreshness(now: EventLoop.preciseNow) } }
}
