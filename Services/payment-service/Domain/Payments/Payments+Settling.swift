import Postgres
import ServiceKit
import Wire

extension Payments {
    /// The result of settling a payment.
    struct Settled: Sendable {
        /// The payment as it was stored before.
        let before: PaymentRecord
        let record: PaymentRecord
        /// Why the attempt's buyer was not credited; nil if they were, or if there was no attempt.
        let refusal: PaymentVerdict.Refusal?
    }

    /// Applies a provider's report in one transaction under the payment's lock: stores it, credits the payment to its
    /// first buyer, and takes back coins of a cancelled payment.
    ///
    /// - Parameter current: the attempt that caused the lookup. Attempts of other buyers end only if the report is
    ///   final.
    @discardableResult
    func settle(_ report: PaymentReport, of provider: String, for current: PaymentAttempt?) async throws -> Settled {
        try await ledger.outbox.transaction { transaction in
            var (before, openAttempts) = try await payments.lock(report, of: provider, in: transaction)
            if let current, !openAttempts.contains(where: { $0.id == current.id }) { openAttempts.append(current) }
            var settlement = Settlement(of: before)
            settlement.apply(report)

            var batch = PostgresBatch()
            var posting: Posting?
            var currentRefusal: PaymentVerdict.Refusal?
            for attempt in openAttempts {
                let refusal = credit(attempt, in: &settlement, &posting)
                let isCurrent = attempt.id == current?.id
                if isCurrent { currentRefusal = refusal }
                if refusal == .notPaid && report.status == .open && !isCurrent { continue }
                let outcome = attempt.buyer == nil ? "heard" : refusal.map { "\($0)" } ?? "credited"
                try attempts.addEnd(attempt.id, outcome: outcome, to: &batch)
            }
            if let owner = settlement.record.credit?.owner, posting != nil || settlement.refundDue > 0 {
                let locked = try await ledger.lockedWallet(of: owner, in: transaction)
                posting = posting ?? settlement.refund(wallet: locked.balance)
                if let posting { try ledger.add(posting, of: owner, after: locked, to: &batch) }
            }
            try payments.add(settlement.record, to: &batch)
            try await transaction.commit(after: batch)
            return Settled(before: before, record: settlement.record, refusal: currentRefusal)
        }
    }

    /// Credits the payment to the attempt's buyer, if it has one.
    private func credit(
        _ attempt: PaymentAttempt, in settlement: inout Settlement, _ posting: inout Posting?
    ) -> PaymentVerdict.Refusal? {
        guard let buyer = attempt.buyer else { return nil }
        switch settlement.credit(buyer, from: catalogue, at: .now) {
        case .success(let credited):
            posting = posting ?? credited
            return nil
        case .failure(let refusal):
            return refusal
        }
    }
}
