import Contract
import Crypto
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Charges coins for creating a workspace.
struct CoinCharges: Sendable {
    let payments: PaymentClient
    /// Releases run on these loops.
    let loops: EventLoopGroup
    /// The price of a workspace in coins; 0 makes workspaces free.
    let workspacePrice: Int
    let log: Log

    private static let reason = "workspace"

    /// Reserves the price, runs `body`, and releases the reserve if `body` fails.
    ///
    /// A successful `body` captures the reserve with a fact in its own transaction. If the process crashes in between,
    /// or does not learn whether the transaction was committed, it leaves the reserve alone: either the fact captures
    /// it, or it expires and the coins return. A client that goes away cancels the creation before its commit, and the
    /// coins return at once.
    func charging<Result>(_ user: UserID, _ body: (Reserve?) async throws -> Result) async throws -> Result {
        guard workspacePrice > 0 else { return try await body(nil) }
        let reserve = Reserve(
            key: "workspace-" + Hexadecimal.encode(SecureRandom.bytes(16).span), user: user, amount: workspacePrice,
            reason: Self.reason)
        do {
            try await payments.reserve(reserve.key, user: user, amount: reserve.amount, reason: reserve.reason)
        } catch  where error is CancellationError || (error as? Failure) == Failure.unavailable {
            // The reserve may exist: perhaps only the reply was lost, or the client has gone meanwhile.
            await release(reserve)
            throw error
        }
        do {
            return try await body(reserve)
        } catch  where error.mayHaveCommitted {
            log.warning(
                "the outcome of a purchase is unknown: its reserve expires or is captured", ["cause": .cause(error)])
            throw error
        } catch {
            await release(reserve)
            throw error
        }
    }

    /// Releases a reserve in a task of its own: that of a client that has gone is cancelled, and makes no call.
    private func release(_ reserve: Reserve) async {
        await Task(executorPreference: loops.nearest) {
            do {
                try await payments.release(reserve.key)
            } catch {
                log.warning("a reserve could not be released and will expire", ["cause": .cause(error)])
            }
        }.value
    }
}
