import Testing
import Wire

@testable import payment_service

@Suite("Settlement of a payment")
struct SettlementTests {
    let catalogue = Catalogue(text: "10 Coin=100:10, 50 Coin=500:50, 100 Coin=1000:100")!
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let order = OrderNumber(text: "ios_sooda_1700000000")
    let paid = Reports.paid
    var buyer: PaymentAttempt.Buyer { PaymentAttempt.Buyer(user: UserID(7), order: order) }

    func unclaimed(_ report: PaymentReport) -> Settlement {
        Settlement(of: PaymentRecord(id: 5, provider: "portone-v1", report: report, credit: nil))
    }

    func credited() -> Settlement {
        var settlement = unclaimed(paid)
        _ = settlement.credit(buyer, from: catalogue, at: now)
        return settlement
    }

    @Test("A valid payment is credited once, to its first buyer")
    func firstBuyer() {
        var settlement = unclaimed(paid)
        #expect(
            settlement.credit(buyer, from: catalogue, at: now)
                == .success(Posting(.purchase, of: "5", moving: 10, from: .purchases, to: .wallet)))
        #expect(settlement.credit(buyer, from: catalogue, at: now) == .success(nil))
        let other = PaymentAttempt.Buyer(user: UserID(8), order: order)
        #expect(settlement.credit(other, from: catalogue, at: now) == .failure(.taken))
        let otherOrder = PaymentAttempt.Buyer(user: UserID(7), order: OrderNumber(text: "ios_sooda_1"))
        #expect(settlement.credit(otherOrder, from: catalogue, at: now) == .failure(.taken))
        #expect(settlement.record.credit?.owner == UserID(7))
    }

    @Test("A payment with another amount, currency, item, order or status is not credited")
    func verdicts() {
        let cases: [(PaymentReport, PaymentVerdict.Refusal)] = [
            (Reports.with(amount: 99), .otherAmount),
            (Reports.with(amount: 1000), .otherAmount),
            (Reports.with(cancelledAmount: 1), .otherAmount),
            (Reports.with(currency: "USD"), .otherCurrency),
            (Reports.with(currency: ""), .otherCurrency),
            (Reports.with(item: "10 coin"), .otherItem),
            (Reports.with(item: "11 Coin"), .otherItem),
            (Reports.with(order: "ios_sooda_1700000001"), .otherOrder),
            (Reports.with(status: .open), .notPaid),
            (Reports.with(status: .failed), .notPaid),
            (Reports.with(status: .cancelled), .cancelled),
        ]
        for (report, refusal) in cases {
            var settlement = unclaimed(report)
            #expect(settlement.credit(buyer, from: catalogue, at: now) == .failure(refusal))
            #expect(settlement.record.credit == nil)
        }
    }

    @Test("A cancellation takes the coins back once")
    func cancellation() {
        var settlement = credited()
        settlement.apply(Reports.with(status: .cancelled))
        #expect(settlement.refundDue == 10)
        #expect(
            settlement.refund(wallet: 25)
                == Posting(.refund, of: "5:10", moving: 10, from: .wallet, to: .purchases))
        #expect(settlement.refund(wallet: 25) == nil)
        #expect(settlement.credit(buyer, from: catalogue, at: now) == .failure(.cancelled))
    }

    @Test("Coins spent before the cancellation are a loss, and the wallet does not go below zero")
    func loss() {
        var settlement = credited()
        settlement.apply(Reports.with(status: .cancelled))
        let posting = settlement.refund(wallet: 4)
        #expect(
            posting?.entries == [
                Posting.Entry(account: .wallet, amount: -4), Posting.Entry(account: .losses, amount: -6),
                Posting.Entry(account: .purchases, amount: 10),
            ])
        var poor = credited()
        poor.apply(Reports.with(status: .cancelled))
        #expect(poor.refund(wallet: 0)?.entries.map(\.account) == [.losses, .purchases])
    }

    @Test("Partial cancellations take back their share, and together all coins")
    func parts() {
        var settlement = credited()
        settlement.apply(Reports.with(cancelledAmount: 35))
        #expect(settlement.refund(wallet: 100)?.walletChange == -3)
        settlement.apply(Reports.with(cancelledAmount: 70))
        #expect(settlement.refund(wallet: 100)?.walletChange == -4)
        settlement.apply(Reports.with(cancelledAmount: 100))
        #expect(settlement.refund(wallet: 100)?.walletChange == -3)
        #expect(settlement.refundDue == 0)
    }

    @Test("An outdated report does not undo a cancellation")
    func outdatedReport() {
        var settlement = credited()
        settlement.apply(Reports.with(status: .cancelled))
        settlement.apply(paid)
        #expect(settlement.record.report.status == .cancelled)

        var partly = credited()
        partly.apply(Reports.with(cancelledAmount: 70))
        partly.apply(Reports.with(cancelledAmount: 35))
        #expect(partly.record.report.cancelledAmount == 70)
        #expect(partly.refundDue == 7)

        var unclaimed = unclaimed(Reports.with(status: .cancelled))
        unclaimed.apply(paid)
        #expect(unclaimed.credit(buyer, from: catalogue, at: now) == .failure(.cancelled))
    }

    @Test("A later report does not change a credited payment")
    func frozen() {
        var settlement = credited()
        settlement.apply(Reports.with(amount: 5000, order: "ios_sooda_9", item: "100 Coin"))
        #expect(settlement.record.report.amount == 100)
        #expect(settlement.record.report.order == order)
        #expect(settlement.record.report.item == "10 Coin")
    }

    @Test("An open payment can be credited once it is paid")
    func paidLater() {
        var settlement = unclaimed(Reports.with(status: .open))
        settlement.apply(paid)
        #expect((try? settlement.credit(buyer, from: catalogue, at: now).get()) != nil)
    }
}

/// Reports of a provider.
enum Reports {
    static let paid = with()

    static func with(
        amount: Int = 100, cancelledAmount: Int = 0, currency: String = "KRW", order: String = "ios_sooda_1700000000",
        item: String = "10 Coin", status: PaymentReport.Status = .paid
    ) -> PaymentReport {
        PaymentReport(
            reference: "imp_1", order: OrderNumber(text: order), item: item, amount: amount,
            cancelledAmount: cancelledAmount, currency: currency, status: status,
            paidAt: Timestamp(seconds: 1_700_000_000))
    }
}
