import Contract
import ServiceKit
import Telemetry

/// Captures reserved coins when workspace-service has committed their purchase.
struct CoinCaptureConsumer: Sendable {
    let ledger: Ledger
    let log: Log

    /// A repeated fact changes nothing.
    func handle(_ fact: WorkspaceFact) async throws {
        guard case .captureCoins(let order) = fact else { return }
        guard let request = try? SpendRequest(order) else {
            return log.error("a capture is not valid", ["key": .name(order.key)])
        }
        do {
            try await ledger.capture(request)
        } catch let refusal as Spending.Refusal {
            // A retry would not help. Reconciliation lists captures without coins.
            log.error("a capture was refused", ["key": .name(order.key), "cause": .cause(refusal)])
        }
    }
}
