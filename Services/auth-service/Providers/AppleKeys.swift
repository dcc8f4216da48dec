import Contract
import Crypto
import HTTP
import Synchronization
import Wire

/// Apple's published keys: kept for a day, and fetched again when a token names an unknown one, but not often.
final class AppleKeys: Sendable {
    private struct State {
        var keys = VerificationKeySet([])
        var fetchedAt: Timestamp?
    }

    private let http: HTTPClient
    private let url: String
    private let state = Mutex(State())

    private static let lifetime = Duration.seconds(86_400)
    private static let shortestInterval = Duration.seconds(10)
    private static let deadline = Duration.seconds(5)

    /// - Parameter base: such as `https://appleid.apple.com`.
    init(http: HTTPClient, base: String) {
        self.http = http
        url = base + "/auth/keys"
    }

    /// The keys as they were fetched last, fetched now where that is long ago.
    func current() async throws -> VerificationKeySet {
        let known = state.withLock { state in
            state.fetchedAt.map { Timestamp.now - $0 < Self.lifetime } == true ? state.keys : nil
        }
        if let known { return known }
        return try await fetch()
    }

    /// The keys fetched anew; nil when that was just done.
    func refreshed() async throws -> VerificationKeySet? {
        let isAllowed = state.withLock { state in
            state.fetchedAt.map { Timestamp.now - $0 >= Self.shortestInterval } ?? true
        }
        return isAllowed ? try await fetch() : nil
    }

    private func fetch() async throws -> VerificationKeySet {
        var request = HTTPClient.Request(.get, url)
        request.deadline = Self.deadline
        do {
            let reply = try await http.send(request)
            guard reply.status.code == 200 else { throw Failure.unavailable }
            let keys = try VerificationKeySet(jwks: try JSONValue(parsing: reply.body))
            state.withLock { $0 = State(keys: keys, fetchedAt: .now) }
            return keys
        } catch {
            throw Failure.unavailable
        }
    }
}
