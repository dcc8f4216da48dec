import Contract
import Crypto
import EventLoop
import HTTP
import ServiceKit
import Synchronization
import Wire

/// Caches the published keys of a provider for a day. A token with an unknown key causes a new fetch, at most one an interval.
///
/// Concurrent callers share one fetch. While the provider does not answer, the cached keys stay in use.
final class ProviderKeys: Sendable {
    private struct State {
        var keys: VerificationKeySet?
        var fetchedAt: Timestamp?
        /// The last fetch, failed fetches included.
        var askedAt: Timestamp?
        var fetching: Task<VerificationKeySet, any Error>?
    }

    private let loop: EventLoop
    private let http: ProviderHTTP
    private let url: String
    private let interval: Duration
    private let deadline: Duration
    private let state = Mutex(State())

    private static let lifetime = Duration.seconds(86_400)

    /// - Parameters:
    ///   - loop: fetches the keys.
    ///   - url: the address of the keys, such as `https://appleid.apple.com/auth/keys`.
    ///   - interval: the shortest time between two fetches while keys are cached.
    ///   - deadline: the time limit of a fetch.
    init(on loop: EventLoop, http: ProviderHTTP, url: String, interval: Duration, deadline: Duration) {
        self.loop = loop
        self.http = http
        self.url = url
        self.interval = interval
        self.deadline = deadline
    }

    /// Returns the cached keys, and fetches them first if they are missing or a day old.
    func current() async throws -> VerificationKeySet {
        let (known, isFresh) = state.withLock { state in
            (state.keys, state.fetchedAt.map { Timestamp.now - $0 < Self.lifetime } == true)
        }
        guard let known else { return try await fetch().value }
        if isFresh { return known }
        return (try? await refreshed()) ?? known
    }

    /// The claims of a token that was signed with one of the keys. If its key is unknown, the keys are fetched again.
    ///
    /// - Parameter refusal: for a token that is not valid.
    func claims(
        or refusal: Failure, _ verify: (VerificationKeySet) throws(JWTError) -> JSONValue
    ) async throws -> JSONValue {
        do {
            return try verify(try await current())
        } catch JWTError.unknownKey {
            guard let fresh = try await refreshed() else { throw refusal }
            do { return try verify(fresh) } catch { throw refusal }
        } catch is JWTError {
            throw refusal
        }
    }

    /// Fetches the keys again; nil if the last fetch was less than an interval ago.
    func refreshed() async throws -> VerificationKeySet? {
        let isAllowed = state.withLock { state in
            state.fetching != nil || state.askedAt.map { Timestamp.now - $0 >= interval } ?? true
        }
        return isAllowed ? try await fetch().value : nil
    }

    /// Returns the fetch in flight, or begins one.
    private func fetch() -> Task<VerificationKeySet, any Error> {
        state.withLock { state in
            if let fetching = state.fetching { return fetching }
            state.askedAt = .now
            let fetching = Task(executorPreference: loop) { [self] in
                let outcome = await download()
                self.state.withLock { state in
                    state.fetching = nil
                    guard let keys = outcome else { return }
                    state.keys = keys
                    state.fetchedAt = .now
                }
                guard let outcome else { throw Failure.unavailable }
                return outcome
            }
            state.fetching = fetching
            return fetching
        }
    }

    private func download() async -> VerificationKeySet? {
        var request = HTTPClient.Request(.get, url)
        request.deadline = deadline
        guard let reply = try? await http.send(request), reply.status.code == 200,
            let json = try? JSONValue(parsing: reply.body)
        else { return nil }
        return try? VerificationKeySet(jwks: json)
    }
}
