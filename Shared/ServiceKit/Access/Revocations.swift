internal import Contract
public import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// The sessions that have ended before their time, known within a second of it.
///
/// Redis tells them live. At start, after each reconnect and twice a second while Redis is away the authority is asked for
/// those since the last answer, so that none is missed.
public final class Revocations: Sendable {
    /// Told of each session once, on the loop where the news came in.
    public typealias Observer = @Sendable (Revocation) -> Void

    private struct State {
        var sessions: [SessionID: Timestamp] = [:]
        /// Up to when the authority has told all, by its own clock.
        var knownUntil: Timestamp
        var observers: [Observer] = []
        var isLive = false
        var pruneAt = 1024
    }

    private let authority: any TokenAuthority
    private let state: Mutex<State>
    private let memory: Duration

    /// Revocations told by Redis and by the authority may cross; asking for a little more than needed covers it.
    private static let overlap = Duration.seconds(5)
    private static let pollInterval = Duration.milliseconds(500)

    /// - Parameter memory: how long a token may live, so how long its session must be remembered.
    public init(authority: any TokenAuthority, memory: Duration) {
        self.authority = authority
        self.memory = memory
        state = Mutex(State(knownUntil: Timestamp.now - memory))
    }

    /// Whether the session has been revoked.
    public func contains(_ session: SessionID) -> Bool { state.withLock { $0.sessions[session] != nil } }

    /// Tells `observer` of every revocation from now on.
    public func observe(_ observer: @escaping Observer) { state.withLock { $0.observers.append(observer) } }

    /// Notes a revocation; what is known already is not told again.
    public func insert(_ revocation: Revocation) {
        let observers = state.withLock { state -> [Observer] in
            guard state.sessions.updateValue(revocation.at, forKey: revocation.session) == nil else { return [] }
            if state.sessions.count >= state.pruneAt { prune(&state) }
            return state.observers
        }
        for observer in observers { observer(revocation) }
    }

    /// Asks the authority for what has been revoked since it was asked last.
    public func catchUp() async throws {
        let since = state.withLock { $0.knownUntil } - Self.overlap
        let answer = try await authority.revocations(since: since)
        for revocation in answer.revocations { insert(revocation) }
        state.withLock { $0.knownUntil = max($0.knownUntil, answer.now) }
    }

    /// Follows revocations until cancelled; to be run on a loop.
    public func follow(_ subscriber: RedisSubscriber, on loop: EventLoop) async throws {
        let subscription = subscriber.listen(to: Revocation.channel) { [weak self] event in
            guard let self else { return }
            switch event {
            case .message(let bytes):
                if let json = try? JSONValue(parsing: bytes), let revocation = Revocation(json) { insert(revocation) }
            case .confirmed, .gap: state.withLock { $0.isLive = true }
            case .lost: state.withLock { $0.isLive = false }
            }
        }
        defer { subscription.cancel() }
        var wasLive = false
        while !Task.isCancelled {
            // Live is read before asking: what comes later is heard.
            let isLive = state.withLock { $0.isLive }
            if !isLive || !wasLive {
                let isDone: Void? = try? await catchUp()
                wasLive = isLive && isDone != nil
            }
            try await loop.sleep(for: Self.pollInterval)
        }
    }

    private func prune(_ state: inout State) {
        let limit = Timestamp.now - memory
        state.sessions = state.sessions.filter { $0.value > limit }
        state.pruneAt = max(1024, state.sessions.count * 2)
    }
}
