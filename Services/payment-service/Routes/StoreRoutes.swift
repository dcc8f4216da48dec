import Contract
import HTTP
import ServiceKit
import Wire

/// The store's items, and the validation of payments.
struct StoreRoutes: Sendable {
    let catalogue: Catalogue
    let payments: Payments

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.get, "/v1/store/item/list", items)
        routes.signedIn(.post, "/v1/store/orders", order)
        routes.signedIn(.post, "/v1/store/pay/validation", validate)
    }

    func items(_ call: Call, _ caller: Caller) async throws -> Response { call.reply(catalogue.items) }

    /// Makes an order of an item for the caller. Its number is the payment id for PortOne V2.
    func order(_ call: Call, _ caller: Caller) async throws -> Response {
        let item = try Self.text("item", in: try await call.fields())
        return call.created(OrderView(order: try await payments.order(item, for: caller.user, under: call.key)))
    }

    /// Credits a payment to the caller. A repeated call gets the same reply.
    func validate(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let reference = try Self.text("imp_uid", in: fields)
        let order = OrderNumber(text: try Self.text("merchant_uid", in: fields))
        do {
            let buyer = try PaymentAttempt.Buyer.made(by: caller.user, of: order, under: call.key)
            return call.reply(try BillView(try await payments.validate(reference, buyer)))
        } catch let refusal as PaymentVerdict.Refusal {
            throw Failure(refusal)
        } catch let fault as ProviderFault {
            throw Failure(.serverError, "\(fault).", status: 503, retryAfter: .seconds(5))
        }
    }

    /// Returns a required text of limited length; no provider's references are longer.
    private static func text(_ name: String, in fields: Fields) throws(Failure) -> String {
        let text = try fields.text(name)
        guard !text.isEmpty, text.utf8.count <= OrderNumber.limit else { throw .invalid("\(name) is not valid.") }
        return text
    }
}

extension Failure {
    /// The error reply for a payment that is not credited.
    init(_ refusal: PaymentVerdict.Refusal) {
        self =
            switch refusal {
            case .unknown: Failure(.unknownPayment, "There is no such payment.")
            case .cancelled: Failure(.unknownPayment, "The payment was cancelled.")
            case .notPaid: Failure(.invalidPayment, "The payment is not paid.")
            case .otherOrder: Failure(.invalidPayment, "The payment belongs to another order.")
            case .otherItem: Failure(.invalidPayment, "The payment is not for an item of the store.")
            case .otherAmount: Failure(.invalidPayment, "The payment's amount is not the item's price.")
            case .otherCurrency: Failure(.invalidPayment, "The payment is not in won.")
            case .taken: Failure(.invalidPayment, "The payment belongs to another user or order.")
            }
    }
}
