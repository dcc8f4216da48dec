import Crypto
import ServiceKit
import Synchronization
import Wire

/// The keys of this service: one signs, all that may have signed a living token are published.
///
/// A new key is published for a while before it signs, so that every service knows it by then.
final class SigningKeys: Sendable {
    private struct State {
        var current: SigningKey
        var published: VerificationKeySet
    }

    private let store: SigningKeyStore
    private let rotation: Duration
    private let memory: Duration
    private let state: Mutex<State>

    /// Longer than the interval at which services fetch the keys.
    private static let publishedBefore = Duration.seconds(300)

    /// - Parameters:
    ///   - rotation: how long a key signs.
    ///   - tokenLifetime: how long any token lives; a key is published for so long after it has signed last.
    /// - Throws: `ConfigError` where keys would be made faster than they may be forgotten.
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
        memory = rotation + tokenLifetime + Self.publishedBefore
        state = Mutex(try await Self.read(store, rotation, memory))
    }

    /// By which no more keys are published at a time than their readers accept: the newest, and others a rotation apart
    /// that are not older than `memory`.
    private static func shortestRotation(tokenLifetime: Duration) -> Duration {
        let seconds = (tokenLifetime + publishedBefore) / .seconds(VerificationKeySet.maximumCount - 1)
        return .seconds(Int64(seconds) + 1)
    }

    /// The key that signs now.
    var current: SigningKey { state.withLock { $0.current } }

    /// The public halves of all keys.
    var published: VerificationKeySet { state.withLock { $0.published } }

    /// Makes the next key when it is time, and takes over what other instances have made.
    func refresh() async throws {
        let read = try await Self.read(store, rotation, memory)
        state.withLock { $0 = read }
    }

    private static func read(_ store: SigningKeyStore, _ rotation: Duration, _ memory: Duration) async throws -> State {
        let now = Timestamp.now
        let stored = try await store.keys(rotation: rotation, memory: memory, now: now)
        let published = VerificationKeySet(stored.map(\.key.verificationKey))
        let ripe = stored.first { $0.createdAt <= now - publishedBefore } ?? stored.last
        guard let ripe else { preconditionFailure("the store always has a key") }
        return State(current: ripe.key, published: published)
    }
}
