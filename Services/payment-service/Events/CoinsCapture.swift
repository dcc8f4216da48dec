import ServiceKit
import Telemetry
import Wire

/// Follows workspace-service's word that what coins were reserved for has come true.
struct CoinsCapture: Sendable {
    let ledger: Ledger
    let log: Log

    /// Captures what a fact names; told again, it changes nothing.
    func hear(_ fact: Fact) async throws {
        guard fact.type == "coins.capture" else { return }
        guard let key = fact.body["key"]?.string, let request = try? SpendRequest(key: key, fact.body) else {
            return log.error("a fact cannot be read", ["type": .name(fact.type), "id": .integer(fact.id)])
        }
        do {
            try await ledger.capture(request)
        } catch let refusal as Spending.Refusal {
            // Trying again would not help; reconciliation lists what found no coins.
            log.error("a capture is refused", ["key": .name(key), "cause": .cause(refusal)])
        }
    }
}
