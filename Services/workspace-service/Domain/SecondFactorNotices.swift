import Contract
import Postgres
import ServiceKit
import Wire

/// Has members told by mail that their workspace requires a second factor.
///
/// The rule and its notices are committed together, and an instance leases the notices that it hands to auth-service. So a
/// crash delays a notice and loses none.
struct SecondFactorNotices: Sendable {
    let store: SecondFactorNoticeStore
    let auth: AuthClient

    private static let batchSize = 20
    /// How long other instances leave a notice to the one that hands it over, and the pause before another try.
    private static let lease = Duration.seconds(30)
    /// The time in which a member gets one mail about a workspace, however often its owner changes the rule.
    private static let memory = Duration.seconds(86_400)

    /// Notes the members to be told, in the transaction that requires the second factor.
    func add(
        _ options: WorkspaceOptions, of id: WorkspaceID, at now: Timestamp, in tx: PostgresTransaction
    ) async throws {
        if let from = options.secondFactorFrom {
            try await store.add(
                in: id, from: from, grace: options.secondFactorGrace, at: now, unlessToldAfter: now - Self.memory, tx)
        } else {
            try await store.cancel(in: id, tx)
        }
    }

    /// Hands all due notices to auth-service. One that fails is tried again after its lease; the first failure is thrown at
    /// the end.
    func send() async throws {
        var failure: (any Error)?
        while case let due = try await store.take(atMost: Self.batchSize, now: .now, lease: Self.lease), !due.isEmpty {
            for notice in due {
                try Task.checkCancellation()
                do {
                    try await auth.notify(notice.request)
                    try await store.finish(notice)
                } catch {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
    }

    /// Forgets notices of long ago. Called every hour.
    func forget() async throws { try await store.forget(before: .now - Self.memory) }
}
