import Crypto
import ServiceKit
import Synchronization
import Wire

/// The keys that sign tokens: one signs, and every key that may have signed a valid token is published.
///
/// A new key is published for a while before it signs, so that every service has fetched it by then.
final class SigningKeys: Sendable {
    private struct State {
        var current: SigningKey
        var published: VerificationKeySet
    }

    private let store: SigningKeyStore
    private let rotation: Duration
    private let retention: Duration
    private let state: Mutex<State>

    /// Longer than the interval at which services fetch the keys.
    private static let publishedBefore = Duration.seconds(300)

    /// - Parameters:
    ///   - rotation: how long a key signs.
    ///   - tokenLifetime: the longest lifetime of a token; a key stays published this long after it last signed.
    /// - Throws: `ConfigError` if keys would be made faster than they expire.
    init(store: SigningKeyStore, rotation: Duration, tokenLifetime: Duration) async throws {
        let shortest = Self.shortestRotation(tokenLifetime: tokenLifetime)
        guard rotation >= shortest else {
            throw ConfigError(
                """
                key_rotation must be at least \(shortest.configText): sessions last up to \(tokenLifetime.configText), and no \
                more than \(VerificationKeySet.maximumCount) keys can be published
                """)
        }
        self.store = store
        self.rotation = rotation
        retention = rotation + tokenLifetime + Self.publishedBefore
        state = Mutex(try await Self.read(store, rotation, retention))
    }

    /// The shortest rotation with which the published keys stay within the number that readers accept: the newest key,
    /// and older keys a rotation apart until their retention ends.
    private static func shortestRotation(tokenLifetime: Duration) -> Duration {
        let seconds = (tokenLifetime + publishedBefore) / .seconds(VerificationKeySet.maximumCount - 1)
        return .seconds(Int64(seconds) + 1)
    }

    /// The key that signs tokens now.
    var current: SigningKey { state.withLock { $0.current } }

    /// The public halves of all keys.
    var published: VerificationKeySet { state.withLock { $0.published } }

    /// Makes the next key when it is due, and takes over the keys that other instances have made.
    func refresh() async throws {
        let read = try await Self.read(store, rotation, retention)
        state.withLock { $0 = read }
    }

    private static func read(_ store: SigningKeyStore, _ rotation: Duration, _ retention: Duration) async throws
        -> State
    {
        let now = Timestamp.now
        let stored = try await store.keys(rotation: rotation, retention: retention, now: now)
        let published = VerificationKeySet(stored.map(\.key.verificationKey))
        let current = stored.first { $0.createdAt <= now - publishedBefore } ?? stored.last
        guard let current else { preconditionFailure("the store returned no signing key") }
        return State(current: current.key, published: published)
    }
}
