import Contract
import Crypto
import Postgres
import ServiceKit
import Telemetry
import Wire

/// Takes coins for what costs some.
struct Treasury: Sendable {
    let payments: PaymentClient
    /// Coins for a workspace; 0 makes them free.
    let workspacePrice: Int
    let log: Log

    private static let reason = "workspace"

    /// Runs `body` with coins set aside for it, and gives them back when it fails.
    ///
    /// Whoever succeeds captures the reserve by a fact in the same transaction. When the process
    /// dies in between, or cannot know whether the transaction was committed, the reserve expires:
    /// then the coins are back, or the fact captures them.
    func paying<Result>(_ user: UserID, _ body: (Reserve?) async throws -> Result) async throws -> Result {
        guard workspacePrice > 0 else { return try await body(nil) }
        let reserve = Reserve(
            key: "workspace-" + Hexadecimal.encode(SecureRandom.bytes(16).span), user: user, amount: workspacePrice,
            reason: Self.reason)
        do {
            try await payments.reserve(reserve.key, user: user, amount: reserve.amount, reason: reserve.reason)
        } catch let failure as Failure where failure == .unavailable {
            // Only the reply may be lost.
            await release(reserve)
            throw failure
        }
        do {
            return try await body(reserve)
        } catch let error as PostgresError where error.isOutcomeUnknown {
            log.warning("a reserve is left to expire or to be captured", ["cause": .cause(error)])
            throw error
        } catch {
            await release(reserve)
            throw error
        }
    }

    private func release(_ reserve: Reserve) async {
        do {
            try await payments.release(reserve.key)
        } catch {
            log.warning("a reserve is left to expire", ["cause": .cause(error)])
        }
    }
}
