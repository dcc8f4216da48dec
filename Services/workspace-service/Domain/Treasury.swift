import Contract
import Crypto
import ServiceKit
import Telemetry
import Wire

/// Takes coins for what costs some.
struct Treasury: Sendable {
    let payments: InternalClient
    /// Coins for a workspace; 0 makes them free.
    let workspacePrice: Int
    let log: Log

    private static let reason = "workspace"

    /// Runs `body` with coins set aside for it, and gives them back when it fails.
    ///
    /// Whoever succeeds captures the reserve by a fact in the same transaction. When the process dies in between, the
    /// reserve expires, and the coins are back.
    func paying<Result>(_ user: UserID, _ body: (Reserve?) async throws -> Result) async throws -> Result {
        guard workspacePrice > 0 else { return try await body(nil) }
        let reserve = Reserve(
            key: "workspace-" + Hexadecimal.encode(SecureRandom.bytes(16).span), user: user, amount: workspacePrice,
            reason: Self.reason)
        _ = try await payments.tell("/internal/reserves") { json in
            json.field("key", reserve.key)
            json.field("user_id", reserve.user.description)
            json.field("amount", reserve.amount)
            json.field("reason", reserve.reason)
        }
        do {
            return try await body(reserve)
        } catch {
            await release(reserve)
            throw error
        }
    }

    private func release(_ reserve: Reserve) async {
        do {
            _ = try await payments.tell("/internal/reserves/\(reserve.key)/release")
        } catch {
            log.warning("a reserve is left to expire", ["cause": .cause(error)])
        }
    }
}
