import Testing
import Wire

@testable import payment_service

@Suite("Settlement of a payment")
struct SettlementTests {
    let catalogue = Catalogue(text: "10 Coin=100:10, 50 Coin=500:50, 100 Coin=1000:100")!
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let order = OrderNumber(text: "ios_sooda_1700000000")
    let paid = Reports.paid
    var claim: PaymentAttempt.Claim { PaymentAttempt.Claim(user: UserID(7), order: order) }

    func unclaimed(_ report: PaymentReport) -> Settlement {
        Settlement(of: PaymentRecord(id: 5, provider: "portone-v1", report: report, credit: nil))
    }

    func credited() -> Settlement {
        var settlement = unclaimed(paid)
        _ = settlement.credit(claim, from: catalogue, at: now)
        return settlement
    }

    @Test("A valid payment is credited once, to the first who claims it")
    func firstClaim() {
        var settlement = unclaimed(paid)
        #expect(
            settlement.credit(claim, from: catalogue, at: now)
                == .success(Posting(.purchase, of: "5", moving: 10, from: .purchases, to: .wallet)))
        #expect(settlement.credit(claim, from: catalogue, at: now) == .success(nil))
        let other = PaymentAttempt.Claim(user: UserID(8), order: order)
        #expect(settlement.credit(other, from: catalogue, at: now) == .failure(.taken))
        let otherOrder = PaymentAttempt.Claim(user: UserID(7), order: OrderNumber(text: "ios_sooda_1"))
        #expect(settlement.credit(otherOrder, from: catalogue, at: now) == .failure(.taken))
        #expect(settlement.record.credit?.owner == UserID(7))
    }

    @Test("The price is ours: amount, currency, item, order and status that differ credit nothing")
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
            #expect(settlement.credit(claim, from: catalogue, at: now) == .failure(refusal))
            #expect(settlement.record.credit == nil)
        }
    }

    @Test("A cancellation takes the coins back once")
    func cancellation() {
        var settlement = credited()
        settlement.hear(Reports.with(status: .cancelled))
        #expect(settlement.refundDue == 10)
        #expect(
            settlement.refund(wallet: 25)
                == Posting(.refund, of: "5:10", moving: 10, from: .wallet, to: .purchases))
        #expect(settlement.refund(wallet: 25) == nil)
        #expect(settlement.credit(claim, from: catalogue, at: now) == .failure(.cancelled))
    }

    @Test("Coins that were spent before the cancellation are a loss, and the wallet does not go below zero")
    func loss() {
        var settlement = credited()
        settlement.hear(Reports.with(status: .cancelled))
        let posting = settlement.refund(wallet: 4)
        #expect(
            posting?.legs == [
                Posting.Leg(book: .wallet, amount: -4), Posting.Leg(book: .losses, amount: -6),
                Posting.Leg(book: .purchases, amount: 10),
            ])
        var poor = credited()
        poor.hear(Reports.with(status: .cancelled))
        #expect(poor.refund(wallet: 0)?.legs.map(\.book) == [.losses, .purchases])
    }

    @Test("Partial cancellations take back their share, and all of them together the whole")
    func parts() {
        var settlement = credited()
        settlement.hear(Reports.with(cancelledAmount: 35))
        #expect(settlement.refund(wallet: 100)?.walletChange == -3)
        settlement.hear(Reports.with(cancelledAmount: 70))
        #expect(settlement.refund(wallet: 100)?.walletChange == -4)
        settlement.hear(Reports.with(cancelledAmount: 100))
        #expect(settlement.refund(wallet: 100)?.walletChange == -3)
        #expect(settlement.refundDue == 0)
    }

    @Test("An old answer of the provider does not undo a cancellation")
    func oldAnswer() {
        var settlement = credited()
        settlement.hear(Reports.with(status: .cancelled))
        settlement.hear(paid)
        #expect(settlement.record.report.status == .cancelled)

        var partly = credited()
        partly.hear(Reports.with(cancelledAmount: 70))
        partly.hear(Reports.with(cancelledAmount: 35))
        #expect(partly.record.report.cancelledAmount == 70)
        #expect(partly.refundDue == 7)

        var unclaimed = unclaimed(Reports.with(status: .cancelled))
        unclaimed.hear(paid)
        #expect(unclaimed.credit(claim, from: catalogue, at: now) == .failure(.cancelled))
    }

    @Test("What was credited is not rewritten by what the provider says later")
    func frozen() {
        var settlement = credited()
        settlement.hear(Reports.with(amount: 5000, order: "ios_sooda_9", item: "100 Coin"))
        #expect(settlement.record.report.amount == 100)
        #expect(settlement.record.report.order == order)
        #expect(settlement.record.report.item == "10 Coin")
    }

    @Test("A payment that is not paid yet can be credited once it is")
    func paidLater() {
        var settlement = unclaimed(Reports.with(status: .open))
        settlement.hear(paid)
        #expect((try? settlement.credit(claim, from: catalogue, at: now).get()) != nil)
    }
}

/// What a provider may say.
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
