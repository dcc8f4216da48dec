/// Whether a payment pays for an item of the catalogue. The catalogue's price counts, not the client's.
enum PaymentVerdict: Sendable, Equatable {
    /// Why a payment is not credited.
    enum Refusal: Error, Equatable {
        /// The provider does not know the payment.
        case unknown
        /// The payment was cancelled.
        case cancelled
        /// The payment is not paid.
        case notPaid
        /// The payment belongs to another order.
        case otherOrder
        /// The catalogue has no item of this name.
        case otherItem
        /// The amount is not the item's price.
        case otherAmount
        /// The currency is not accepted.
        case otherCurrency
        /// The payment was credited to another user or for another order.
        case taken
    }

    /// The payment pays for this item.
    case valid(Catalogue.Item)
    case refused(Refusal)

    init(of report: PaymentReport, for order: OrderNumber, in catalogue: Catalogue) {
        self =
            switch report.status {
            case .cancelled: .refused(.cancelled)
            case .open, .failed: .refused(.notPaid)
            case .paid where report.order != order: .refused(.otherOrder)
            case .paid: Self.paid(report, in: catalogue)
            }
    }

    private static func paid(_ report: PaymentReport, in catalogue: Catalogue) -> PaymentVerdict {
        guard report.currency == Catalogue.currency else { return .refused(.otherCurrency) }
        guard let item = catalogue[name: report.item] else { return .refused(.otherItem) }
        guard report.amount == item.price, report.cancelledAmount == 0 else { return .refused(.otherAmount) }
        return .valid(item)
    }
}
