import Wire

/// The state machine of one payment: applies reports, credits and refunds.
///
/// It is made under the payment's lock. `record` is the state to store, together with the returned postings.
struct Settlement: Sendable {
    private(set) var record: PaymentRecord

    init(of record: PaymentRecord) { self.record = record }

    /// Applies a provider's report. The report may be older than the stored one, so a cancellation stays.
    mutating func apply(_ report: PaymentReport) {
        let known = record.report
        guard record.credit != nil || known.status == .cancelled else {
            record.report = report
            return
        }
        record.report = PaymentReport(
            reference: known.reference, order: known.order, item: known.item, amount: known.amount,
            cancelledAmount: max(known.cancelledAmount, report.cancelledAmount), currency: known.currency,
            status: report.status == .cancelled ? .cancelled : known.status, paidAt: known.paidAt)
    }

    /// Credits a valid payment to its first buyer, once.
    ///
    /// - Returns: the posting; nil if the same buyer was credited before.
    mutating func credit(
        _ buyer: PaymentAttempt.Buyer, from catalogue: Catalogue, at now: Timestamp
    ) -> Result<Posting?, PaymentVerdict.Refusal> {
        if let credit = record.credit {
            guard credit.owner == buyer.user, record.report.order == buyer.order else { return .failure(.taken) }
            return record.report.status == .cancelled ? .failure(.cancelled) : .success(nil)
        }
        switch PaymentVerdict(of: record.report, for: buyer.order, in: catalogue) {
        case .refused(let refusal):
            return .failure(refusal)
        case .valid(let item):
            record.credit = PaymentRecord.Credit(owner: buyer.user, coins: item.coins, creditedAt: now, refunded: 0)
            return .success(
                Posting(.purchase, of: "\(record.id)", moving: item.coins, from: .purchases, to: .wallet))
        }
    }

    /// Credited coins whose money was refunded and that were not taken back yet.
    var refundDue: Int { record.refundTarget - (record.credit?.refunded ?? 0) }

    /// Takes back the due coins: from the wallet as far as it has them, and the rest as a loss.
    mutating func refund(wallet: Int) -> Posting? {
        let due = refundDue
        guard due > 0 else { return nil }
        record.credit?.refunded += due
        let fromWallet = min(max(0, wallet), due)
        return Posting(
            .refund, of: "\(record.id):\(record.refundTarget)",
            taking: [(.wallet, fromWallet), (.losses, due - fromWallet)], to: .purchases)
    }
}

extension PaymentRecord {
    /// The number of credited coins that the refunded money paid for, rounded down.
    var refundTarget: Int {
        guard let credit else { return 0 }
        if report.status == .cancelled || report.cancelledAmount >= report.amount { return credit.coins }
        return credit.coins * max(0, report.cancelledAmount) / report.amount
    }
}
