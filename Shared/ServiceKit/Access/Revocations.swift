public import Contract
public import EventLoop
internal import Redis
internal import Synchronization
public import Wire

/// The sessions that were revoked, known here within a second.
///
/// Hints by Redis announce them live. A hint can be lost unnoticed, so the authority is also polled twice a second for
/// revocations since its last answer. No token is accepted before its first answer.
public final class Revocations: Sendable {
    /// Called once for each revoked session, on the loop that received the revocation.
    public typealias Observer = @Sendable (Revocation) -> Void

    private struct State {
        var sessions: [SessionID: Timestamp] = [:]
        /// The time, by the authority's clock, up to which its revocations are known.
        var knownUntil: Timestamp
        var observers: [Observer] = []
        var pollCount = 0
        var pruneAt = 1024
    }

    private let authority: any TokenAuthority
    private let loop: EventLoop
    private let state: Mutex<State>
    private let memory: Duration
    private let isInformed = Atomic(false)
    /// The first poll while it is in flight.
    private let firstPoll = Mutex<Task<Void, any Error>?>(nil)

    /// Polls overlap by this time, because a revocation may become visible a little after its time.
    private static let overlap = Duration.seconds(5)
    /// A transaction that waits for locks or for a standby makes its revocations visible late, and an instance that ends before it
    /// publishes them leaves them to the polls. Every `lookBackEvery`-th poll looks so far back.
    private static let lookBack = Duration.seconds(120)
    private static let lookBackEvery = 20
    private static let pollInterval = Duration.milliseconds(500)

    /// - Parameters:
    ///   - memory: the longest lifetime of a token. A revocation is kept for longer by the time that it may become visible late.
    ///   - loop: makes the first poll.
    public init(authority: any TokenAuthority, memory: Duration, on loop: EventLoop) {
        self.authority = authority
        self.loop = loop
        // A refresh under way makes tokens of the session until its revocation is visible.
        let memory = memory + Self.lookBack
        self.memory = memory
        state = Mutex(State(knownUntil: Timestamp.now - memory))
    }

    /// Whether the session has been revoked.
    public func contains(_ session: SessionID) -> Bool { state.withLock { $0.sessions[session] != nil } }

    /// Calls `observer` for every revocation from now on.
    public func observe(_ observer: @escaping Observer) { state.withLock { $0.observers.append(observer) } }

    /// Records a revocation and calls the observers if it is new.
    ///
    /// - Returns: whether it is new.
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

    /// Fetches the revocations since the last poll from the authority, page by page.
    public func catchUp() async throws {
        var since = state.withLock { state in
            state.pollCount += 1
            let looksBack = state.pollCount.isMultiple(of: Self.lookBackEvery)
            return state.knownUntil - (looksBack ? Self.lookBack : Self.overlap)
        }
        while true {
            let answer = try await authority.revocations(since: since)
            for revocation in answer.revocations { insert(revocation) }
            state.withLock { $0.knownUntil = max($0.knownUntil, answer.now) }
            // The end is recognized by the time alone: even a page of known revocations may be followed by new ones.
            guard let last = answer.revocations.last, answer.now == last.at + .milliseconds(1) else { break }
            since = answer.now
        }
        isInformed.store(true, ordering: .releasing)
    }

    /// Waits for the authority's first answer; concurrent callers share one poll.
    func requireKnowledge() async throws {
        if isInformed.load(ordering: .acquiring) { return }
        let poll = firstPoll.withLock { poll -> Task<Void, any Error>? in
            if poll != nil || isInformed.load(ordering: .acquiring) { return poll }
            poll = Task(executorPreference: loop) { [self] in
                defer { self.firstPoll.withLock { $0 = nil } }
                try await catchUp()
            }
            return poll
        }
        try await poll?.value
    }

    /// Subscribes to hints and polls the authority until the task is cancelled.
    public func follow(_ subscriber: MessageSubscriber, on loop: EventLoop) async throws {
        let subscription = subscriber.listen(to: Revocation.self, on: loop) { [weak self] event in
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
