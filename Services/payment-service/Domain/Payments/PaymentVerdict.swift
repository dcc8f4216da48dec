/// Whether a payment pays for an item of ours. The price is ours, whatever anybody says.
enum PaymentVerdict: Sendable, Equatable {
    /// Why a payment credits nothing.
    enum Refusal: Error, Equatable {
        /// The provider knows no such payment.
        case unknown
        /// It was taken back.
        case cancelled
        /// It was not paid, or not yet.
        case notPaid
        /// It belongs to another order.
        case otherOrder
        /// Nothing of this name is for sale.
        case otherItem
        /// Other than our price was paid.
        case otherAmount
        /// It was paid in another currency than ours.
        case otherCurrency
        /// Someone else has it, or has it under another order.
        case taken
    }

    /// It pays for this item.
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
