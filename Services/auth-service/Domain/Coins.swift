import Contract
import ServiceKit
import Telemetry
import Wire

/// A person's coins, as payment-service tells them.
struct Coins: Sendable {
    let payments: InternalClient
    let log: Log

    /// 0, with a warning in the log, while payment-service does not answer: a profile is worth more than its coins.
    func balance(of user: UserID) async -> Int64 {
        do {
            return Int64(try await payments.get("/internal/balances/\(user)")["balance"]?.int ?? 0)
        } catch {
            log.warning("no balance for a profile", ["cause": .cause(error)])
            return 0
        }
    }
}
