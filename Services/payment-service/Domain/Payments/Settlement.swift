import Wire

/// What becomes of one payment when the provider is heard, whoever asked.
///
/// Made under the lock of the payment. `record` is what is to be recorded; the postings are to be written with it.
struct Settlement: Sendable {
    private(set) var record: PaymentRecord

    init(of record: PaymentRecord) { self.record = record }

    /// Takes over what the provider says. It may be older than what we have: a cancellation stays.
    mutating func hear(_ report: PaymentReport) {
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

    /// Credits the payment to who claims it, if it is valid and nobody has it: once, whoever comes how often.
    ///
    /// - Returns: the posting; nil where the same claim was credited before.
    mutating func credit(
        _ claim: PaymentAttempt.Claim, from catalogue: Catalogue, at now: Timestamp
    ) -> Result<Posting?, PaymentVerdict.Refusal> {
        if let credit = record.credit {
            guard credit.owner == claim.user, record.report.order == claim.order else { return .failure(.taken) }
            return record.report.status == .cancelled ? .failure(.cancelled) : .success(nil)
        }
        switch PaymentVerdict(of: record.report, for: claim.order, in: catalogue) {
        case .refused(let refusal):
            return .failure(refusal)
        case .valid(let item):
            record.credit = PaymentRecord.Credit(owner: claim.user, coins: item.coins, creditedAt: now, refunded: 0)
            return .success(
                Posting(.purchase, of: "\(record.id)", moving: item.coins, from: .purchases, to: .wallet))
        }
    }

    /// Coins that were credited for money that has gone back since, and that have not been taken back yet.
    var refundDue: Int { record.refundTarget - (record.credit?.refunded ?? 0) }

    /// Takes back what is due: from the wallet what is there, and what was spent as a loss.
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
    /// How many of the credited coins the money that went back has paid for; a part is rounded down.
    var refundTarget: Int {
        guard let credit else { return 0 }
        if report.status == .cancelled || report.cancelledAmount >= report.amount { return credit.coins }
        return credit.coins * max(0, report.cancelledAmount) / report.amount
    }
}
