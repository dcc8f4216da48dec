/// Holds a record of ours against what the provider says now.
enum PaymentComparison {
    /// - Parameter report: nil where the provider knows no such payment.
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
            difference(.paymentCancelled, "\(known.takenBack)", "\(report.takenBack)"),
        ].compactMap(\.self)
    }
}

extension PaymentReport {
    /// How much money went back.
    var takenBack: Int { status == .cancelled ? amount : cancelledAmount }
}
