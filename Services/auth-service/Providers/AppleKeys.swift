import Contract
import Crypto
import EventLoop
import HTTP
import Synchronization
import Wire

/// Apple's published keys: kept for a day, and fetched again when a token names an unknown one, but not often.
///
/// Who needs them while they are on their way waits for the same fetch. While Apple does not answer, those known serve on.
final class AppleKeys: Sendable {
    private struct State {
        var keys: VerificationKeySet?
        var fetchedAt: Timestamp?
        /// Fetches that failed count as well.
        var askedAt: Timestamp?
        var fetching: Task<VerificationKeySet, any Error>?
    }

    private let http: HTTPClient
    private let url: String
    private let interval: Duration
    private let state = Mutex(State())

    private static let lifetime = Duration.seconds(86_400)
    private static let deadline = Duration.seconds(5)

    /// - Parameters:
    ///   - base: such as `https://appleid.apple.com`.
    ///   - interval: between two fetches at least, unless there are no keys at all.
    init(http: HTTPClient, base: String, interval: Duration) {
        self.http = http
        url = base + "/auth/keys"
        self.interval = interval
    }

    /// The keys as they were fetched last, fetched now where that is long ago.
    func current() async throws -> VerificationKeySet {
        let (known, isFresh) = state.withLock { state in
            (state.keys, state.fetchedAt.map { Timestamp.now - $0 < Self.lifetime } == true)
        }
        guard let known else { return try await fetch().value }
        if isFresh { return known }
        return (try? await refreshed()) ?? known
    }

    /// The keys fetched anew; nil when that was just done.
    func refreshed() async throws -> VerificationKeySet? {
        let isAllowed = state.withLock { state in
            state.fetching != nil || state.askedAt.map { Timestamp.now - $0 >= interval } ?? true
        }
        return isAllowed ? try await fetch().value : nil
    }

    /// The fetch under way, begun now where there is none.
    private func fetch() -> Task<VerificationKeySet, any Error> {
        state.withLock { state in
            if let fetching = state.fetching { return fetching }
            state.askedAt = .now
            let fetching = Task(executorPreference: EventLoop.current) { [self] in
                let outcome = await answer()
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

    private func answer() async -> VerificationKeySet? {
        var request = HTTPClient.Request(.get, url)
        request.deadline = Self.deadline
        guard let reply = try? await http.send(request), reply.status.code == 200,
            let json = try? JSONValue(parsing: reply.body)
        else { return nil }
        return try? VerificationKeySet(jwks: json)
    }
}
