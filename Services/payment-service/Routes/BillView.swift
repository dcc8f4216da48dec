import Contract
import Wire

/// The bill of a credited payment. It does not change any more.
struct BillView: View {
    let record: PaymentRecord
    let credit: PaymentRecord.Credit

    /// - Throws: `Failure` for a payment that was not credited.
    init(_ record: PaymentRecord) throws(Failure) {
        guard let credit = record.credit else { throw .serverError }
        self.record = record
        self.credit = credit
    }

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        let report = record.report
        json.object { json in
            json.field("billing_id", ID<PaymentRecord>(record.id), for: profile)
            json.field("merchant_uid", report.order.text)
            switch profile.generation {
            case .january2024:
                json.field("amount", report.amount)
                json.field("sesacCoin", credit.coins)
                json.field("success", true)
                json.field("createdAt", credit.creditedAt)
            case .july2024:
                json.field("buyer_id", credit.owner.description)
                json.field("productName", report.item)
                json.field("price", report.amount)
                json.field("sesacCoin", credit.coins)
                json.field("paidAt", report.paidAt ?? credit.creditedAt)
            }
        }
    }
}

extension Catalogue.Item: View {
    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("item", name)
            json.field("amount", String(price))
        }
    }
}
