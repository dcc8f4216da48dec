public import Contract
public import EventLoop
internal import Redis
internal import Synchronization
public import Wire

/// The sessions that have ended before their time, known within a second of it.
///
/// Redis tells them live. A hint may be lost on either side of Redis without anybody noticing, so the authority is asked
/// as well, twice a second, for those since its last answer; nobody is let in before it has answered once.
public final class Revocations: Sendable {
    /// Told of each session once, on the loop where the news came in.
    public typealias Observer = @Sendable (Revocation) -> Void

    private struct State {
        var sessions: [SessionID: Timestamp] = [:]
        /// Up to when the authority has told all, by its own clock.
        var knownUntil: Timestamp
        var observers: [Observer] = []
        var pruneAt = 1024
    }

    private let authority: any TokenAuthority
    private let state: Mutex<State>
    private let memory: Duration
    private let isInformed = Atomic(false)
    /// The first answer on its way.
    private let asking = Mutex<Task<Void, any Error>?>(nil)

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

    /// Notes a revocation; what is known already is not told again. Says whether it was news.
    @discardableResult
    public func insert(_ revocation: Revocation) -> Bool {
        let observers = state.withLock { state -> [Observer]? in
            guard state.sessions.updateValue(revocation.at, forKey: revocation.session) == nil else { return nil }
            if state.sessions.count >= state.pruneAt { prune(&state) }
            return state.observers
        }
        for observer in observers ?? [] { observer(revocation) }
        return observers != nil
    }

    /// Asks the authority for what has been revoked since it was asked last, page after page.
    public func catchUp() async throws {
        var since = state.withLock { $0.knownUntil } - Self.overlap
        while true {
            let answer = try await authority.revocations(since: since)
            for revocation in answer.revocations { insert(revocation) }
            state.withLock { $0.knownUntil = max($0.knownUntil, answer.now) }
            // Whether it was news says nothing of what follows: it may have been heard before, or be asked for twice.
            guard let last = answer.revocations.last, answer.now == last.at + .milliseconds(1) else { break }
            since = answer.now
        }
        isInformed.store(true, ordering: .releasing)
    }

    /// Asks the authority if it has not answered yet; who comes while it is being asked waits for the same answer.
    func requireKnowledge() async throws {
        if isInformed.load(ordering: .acquiring) { return }
        let asking = asking.withLock { asking -> Task<Void, any Error>? in
            if asking != nil || isInformed.load(ordering: .acquiring) { return asking }
            asking = Task(executorPreference: EventLoop.current) { [self] in
                defer { self.asking.withLock { $0 = nil } }
                try await catchUp()
            }
            return asking
        }
        try await asking?.value
    }

    /// Follows revocations until cancelled; to be run on a loop.
    public func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) async throws {
        let subscription = subscriber.listen(to: Revocation.self) { [weak self] event in
            if case .message(let revocation) = event { self?.insert(revocation) }
        }
        defer { subscription.cancel() }
        while !Task.isCancelled {
            try? await catchUp()
            try await loop.sleep(for: Self.pollInterval)
        }
    }

    private func prune(_ state: inout State) {
        let limit = Timestamp.now - memory
        state.sessions = state.sessions.filter { $0.value > limit }
        state.pruneAt = max(1024, state.sessions.count * 2)
    }
}
