import Contract
import Wire

extension Payments {
    /// The reason for a refund in the provider's records.
    static let refundReason = "refunded by an operator"

    /// The payment of an id; nil if there is none.
    func show(_ id: Int64) async throws -> PaymentRecord {
        guard let record = try await payments.find(id) else { throw Failure(.notFound, "No such payment.") }
        return record
    }

    /// Pays a payment back at its provider, and takes its coins back as far as the user still has them. If the service ends
    /// between the two, a webhook or the reconciliation does the second.
    ///
    /// - Throws: E15 if the payment is not paid, or if the provider refuses or does not confirm.
    func refund(_ id: Int64) async throws -> PaymentRecord {
        let record = try await show(id)
        guard record.report.status == .paid else {
            throw Failure(.refused, "The payment is \(record.report.status.rawValue).")
        }
        let (answer, isRefused) = await providers.refund(
            record.report.reference, of: record.provider, because: Self.refundReason)
        switch answer {
        case .unusable(let fault):
            guard isRefused else { throw Self.unconfirmed }
            throw Failure(.refused, "The payment provider did not refund: \(fault.description).")
        case .unknown: throw Failure(.unknownPayment, "The provider does not know the payment.")
        case .payment(let report, let provider):
            let settled = try await settle(report, of: provider, for: nil).record
            guard report.status == .cancelled else {
                throw isRefused
                    ? Failure(.refused, "The payment provider refused the refund.") : Self.unconfirmed
            }
            return settled
        }
    }

    /// The provider may make the refund after its lookup has said that the payment is paid.
    private static let unconfirmed = Failure(
        .refused,
        "The payment provider did not confirm the refund. If it makes it, a webhook or the reconciliation takes the coins back."
    )
}
