import Testing
import Wire

@testable import payment_service

@Suite("Comparison with the provider")
struct ComparisonTests {
    let record = PaymentRecord(
        id: 5, provider: "portone-v1", report: Reports.paid,
        credit: .init(owner: UserID(7), coins: 10, creditedAt: Timestamp(seconds: 1), refunded: 0))

    @Test("Equal records have no differences")
    func agreement() {
        #expect(PaymentComparison.differences(of: record, from: Reports.paid).isEmpty)
    }

    @Test("Each difference lists the stored value and the provider's")
    func differences() {
        let cases: [(PaymentReport?, Difference.Kind, String, String)] = [
            (nil, .paymentMissing, "paid", "unknown"),
            (Reports.with(status: .failed), .paymentUnpaid, "paid", "failed"),
            (Reports.with(amount: 101), .paymentAmount, "100", "101"),
            (Reports.with(currency: "USD"), .paymentCurrency, "KRW", "USD"),
            (Reports.with(order: "ios_sooda_2"), .paymentOrder, "ios_sooda_1700000000", "ios_sooda_2"),
            (Reports.with(cancelledAmount: 30), .paymentCancelled, "0", "30"),
            (Reports.with(status: .cancelled), .paymentCancelled, "0", "100"),
        ]
        for (report, kind, ours, theirs) in cases {
            #expect(
                PaymentComparison.differences(of: record, from: report)
                    == [Difference(kind: kind, subject: "5", ours: ours, theirs: theirs)])
        }
    }

    @Test("A payment that was not credited has no differences")
    func uncredited() {
        let unclaimed = PaymentRecord(id: 5, provider: "portone-v1", report: Reports.paid, credit: nil)
        #expect(PaymentComparison.differences(of: unclaimed, from: nil).isEmpty)
    }
}
