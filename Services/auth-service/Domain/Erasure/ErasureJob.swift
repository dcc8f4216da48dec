import Contract
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Takes erasures to their end: publishes `user.deleted` until every service has reported, and revokes grants.
///
/// An instance leases an erasure while it works on it. Every step may be repeated, so a crash only delays it.
struct ErasureJob: Sendable {
    let store: ErasureStore
    let facts: AccountFactPublisher
    let grants: ProviderGrants
    let metrics: ErasureMetrics
    let signal: WakeSignal
    let log: Log

    /// How long other instances leave an erasure to the one that works on it, and the pause between two publications.
    private static let lease = Duration.seconds(20)
    private static let searchInterval = Duration.seconds(1)
    private static let atOnce = 20
    /// The rounds by their time after the deletion. In the second one, chat-service knows all rooms that the user was
    /// removed from; everything is erased at its end. The last one is for calls that were under way at the deletion.
    private static let rounds = [Erasures.settling, .seconds(20), .seconds(900)]
    private static let erasingRounds = 2
    /// Grants that a provider does not revoke for this time are given up, with a line of the log.
    private static let giveUpAfter = Duration.seconds(7 * 86_400)
    /// How long a finished erasure can be looked up.
    private static let retention = Duration.seconds(30 * 86_400)

    /// Works until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            let due = try await store.take(atMost: Self.atOnce, now: .now, lease: Self.lease)
            try await advance(due)
            if due.count == Self.atOnce { continue }
            try await signal.sleep(atMost: Self.searchInterval, on: loop)
        }
    }

    /// Forgets erasures that ended long ago.
    func forget() async throws { try await store.forget(before: .now - Self.retention) }

    /// Works on several erasures at once, so that none waits for the provider of another one. A failure stops no other erasure;
    /// the first one is thrown at the end.
    private func advance(_ erasures: [ErasureStore.Erasure]) async throws {
        var failure: (any Error)?
        await withTaskGroup(of: (any Error)?.self) { group in
            for erasure in erasures { group.addTask { await attempt(erasure) } }
            for await error in group { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Returns the failure, if there is one.
    private func attempt(_ erasure: ErasureStore.Erasure) async -> (any Error)? {
        do {
            try await advance(erasure)
            return nil
        } catch {
            return error
        }
    }

    private func advance(_ erasure: ErasureStore.Erasure) async throws {
        var grantsLeft = 0
        for grant in erasure.grants where try await !revoke(grant, of: erasure) { grantsLeft += 1 }
        // A grant that waits for its provider makes an erasure due between its rounds.
        guard .now >= erasure.requestedAt + Self.rounds[erasure.round - 1] else { return }
        guard erasure.waiting.isEmpty else {
            if erasure.attempts > 3 {
                log.warning(
                    "an erasure is waiting for other services",
                    ["user": .id(erasure.account), "round": .count(erasure.round)])
            }
            return try await facts.deleted(
                UserDeletion(
                    user: erasure.account, round: erasure.round, deletesMessages: erasure.deletesMessages))
        }
        guard erasure.round < Self.rounds.count else {
            if grantsLeft > 0 { return }
            // Calls that were under way may have written rows of this service as well.
            return try await store.end(erasure.account, at: .now)
        }
        let (now, isErased) = (Timestamp.now, erasure.round == Self.erasingRounds)
        let next = erasure.requestedAt + Self.rounds[erasure.round]
        let hasBegun = try await store.beginRound(
            after: erasure.round, of: erasure.account, due: grantsLeft > 0 ? min(next, now + Self.lease) : next,
            isErased: isErased, at: now)
        if hasBegun, isErased { metrics.erased(after: now - erasure.requestedAt) }
    }

    /// Returns false if the provider is to be asked again.
    private func revoke(_ grant: Erasures.Grant, of erasure: ErasureStore.Erasure) async throws -> Bool {
        switch await grants.revoke(grant) {
        case .revoked: metrics.revoked.increment()
        case .impossible:
            log.warning("a grant cannot be revoked", ["provider": .name(grant.provider.rawValue)])
        case .later:
            guard .now - erasure.requestedAt > Self.giveUpAfter else { return false }
            log.error("gave up revoking a grant", ["provider": .name(grant.provider.rawValue)])
        }
        try await store.remove(grant, of: erasure.account)
        return true
    }
}

/// The metrics of erasures.
struct ErasureMetrics: Sendable {
    let revoked: Counter
    private let done: Counter
    private let time: Histogram

    init(_ metrics: MetricsRegistry) {
        done = metrics.counter("maru_erasures_total", "Deleted accounts with all data erased.")
        revoked = metrics.counter(
            "maru_grants_revoked_total", "Grants at providers that were revoked for deleted accounts.")
        time = metrics.histogram(
            "maru_erasure_seconds", "From the deletion of an account to the end of its erasure.", labels: [:])
    }

    func erased(after time: Duration) {
        done.increment()
        self.time.observe(UInt64(max(0, time.wholeMilliseconds)) * 1_000_000)
    }
}
