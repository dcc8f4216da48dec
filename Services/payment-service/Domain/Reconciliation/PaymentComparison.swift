/// Compares a stored payment with the provider's report.
enum PaymentComparison {
    /// - Parameter report: nil if the provider does not know the payment.
    static func differences(of record: PaymentRecord, from report: PaymentReport?) -> [Difference] {
        guard record.credit != nil else { return [] }
        func difference(_ kind: Difference.Kind, _ ours: String, _ theirs: String) -> Difference? {
            ours == theirs ? nil : Difference(kind: kind, subject: "\(record.id)", ours: ours, theirs: theirs)
        }
        let known = record.report
        guard let report else {
            return [difference(.paymentMissing, known.status.rawValue, "unknown")].compactMap(\.self)
        }
        let wasPaid = report.status == .paid || report.status == .cancelled
        return [
            wasPaid ? nil : difference(.paymentUnpaid, known.status.rawValue, report.status.rawValue),
            difference(.paymentAmount, "\(known.amount)", "\(report.amount)"),
            difference(.paymentCurrency, known.currency, report.currency),
            difference(.paymentOrder, known.order.text, report.order.text),
            difference(.paymentCancelled, "\(known.refundedAmount)", "\(report.refundedAmount)"),
        ].compactMap(\.self)
    }
}

extension PaymentReport {
    /// The refunded money.
    var refundedAmount: Int { status == .cancelled ? amount : cancelledAmount }
}
