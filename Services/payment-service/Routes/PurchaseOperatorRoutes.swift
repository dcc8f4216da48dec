import Contract
import HTTP
import ServiceKit
import Wire

/// Purchases and the ledger for operators.
struct PurchaseOperatorRoutes: Sendable {
    let payments: Payments
    let reconciliation: Reconciliation

    private static let mostListed = 200

    func register(in routes: inout OperatorRoutes) {
        routes.look("purchases.list", "/operator/users/{id}/purchases", list)
        routes.look("purchases.show", "/operator/purchases/{id}", show)
        routes.act("purchases.refund", .delete, "/operator/purchases/{id}", refund)
        routes.show("/operator/ledger", checkLedger)
    }

    func list(_ call: InternalCall) async throws -> Response {
        let found = try await payments.payments.list(ownedBy: try call.id("id"), limit: Self.mostListed)
        return call.list("purchases", found) { record, json in json.purchase(record) }
    }

    func show(_ call: InternalCall) async throws -> Response {
        let record = try await payments.show(try Self.id(call))
        return call.reply { $0.purchase(record) }
    }

    func refund(_ call: InternalCall) async throws -> Response {
        let record = try await payments.refund(try Self.id(call))
        return call.reply { $0.purchase(record) }
    }

    /// Compares the ledger with its own sums, without asking a provider and without a trace.
    func checkLedger(_ call: InternalCall) async throws -> Response {
        let found = try await reconciliation.checkLedger()
        return call.list("differences", found) { difference, json in
            json.object { json in
                json.field("kind", difference.kind.rawValue)
                json.field("subject", difference.subject)
                json.field("ours", difference.ours)
                json.field("theirs", difference.theirs)
            }
        }
    }

    private static func id(_ call: InternalCall) throws(Failure) -> Int64 {
        let id: ID<PurchaseOperatorRoutes> = try call.id("id")
        return id.rawValue
    }
}

extension JSONWriter {
    fileprivate mutating func purchase(_ record: PaymentRecord) {
        let report = record.report
        object { json in
            json.field("purchase_id", record.id.description)
            json.field("provider", record.provider)
            json.field("reference", report.reference)
            json.field("order", report.order.text)
            json.field("item", report.item)
            json.field("amount", report.amount)
            json.field("cancelledAmount", report.cancelledAmount)
            json.field("currency", report.currency)
            json.field("status", report.status.rawValue)
            if let paidAt = report.paidAt { json.field("paidAt", paidAt) }
            guard let credit = record.credit else { return }
            json.field("user_id", credit.owner.description)
            json.field("coins", credit.coins)
            json.field("refunded", credit.refunded)
            json.field("creditedAt", credit.creditedAt)
        }
    }
}
