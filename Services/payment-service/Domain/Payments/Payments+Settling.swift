import Postgres
import ServiceKit
import Wire

extension Payments {
    /// What became of a payment when its provider was heard.
    struct Settled: Sendable {
        /// As it was recorded before.
        let before: PaymentRecord
        let record: PaymentRecord
        /// Why the claim that asked got nothing; nil where it got it, or nobody asked.
        let refusal: PaymentVerdict.Refusal?
    }

    /// Makes what a provider says true here: records it, credits the payment to who claims it first,
    /// and takes back what was cancelled; one transaction under the payment's lock.
    ///
    /// - Parameter asking: the attempt that is answered by this; those of others end only when
    ///   there is something final to say.
    @discardableResult
    func settle(_ report: PaymentReport, of provider: String, asking: PaymentAttempt?) async throws -> Settled {
        try await ledger.outbox.transaction { transaction in
            var (before, claims) = try await payments.lock(report, of: provider, in: transaction)
            if let asking, !claims.contains(where: { $0.id == asking.id }) { claims.append(asking) }
            var settlement = Settlement(of: before)
            settlement.hear(report)

            var batch = PostgresBatch()
            var posting: Posting?
            var answer: PaymentVerdict.Refusal?
            for attempt in claims {
                let refusal = credit(attempt, in: &settlement, &posting)
                let isAsking = attempt.id == asking?.id
                if isAsking { answer = refusal }
                if refusal == .notPaid && report.status == .open && !isAsking { continue }
                let outcome = attempt.claim == nil ? "heard" : refusal.map { "\($0)" } ?? "credited"
                try attempts.addEnd(attempt.id, outcome: outcome, to: &batch)
            }
            if let owner = settlement.record.credit?.owner, posting != nil || settlement.refundDue > 0 {
                let holdings = try await ledger.holdings(of: owner, in: transaction)
                posting = posting ?? settlement.refund(wallet: holdings.wallet)
                if let posting { try ledger.add(posting, of: owner, after: holdings, to: &batch) }
            }
            try payments.add(settlement.record, to: &batch)
            try await transaction.commit(after: batch)
            return Settled(before: before, record: settlement.record, refusal: answer)
        }
    }

    /// Credits the payment to an attempt's claim, if it makes one.
    private func credit(
        _ attempt: PaymentAttempt, in settlement: inout Settlement, _ posting: inout Posting?
    ) -> PaymentVerdict.Refusal? {
        guard let claim = attempt.claim else { return nil }
        switch settlement.credit(claim, from: catalogue, at: .now) {
        case .success(let credited):
            posting = posting ?? credited
            return nil
        case .failure(let refusal):
            return refusal
        }
    }
}
