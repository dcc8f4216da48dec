import Contract
import ServiceKit
import Wire

/// Internal routes: balances and spends for the other services.
struct LedgerRoutes: Sendable {
    let ledger: Ledger

    func register(in routes: inout InternalRoutes) {
        routes.add(BalancesRequest.self, balances)
        routes.add(ReserveRequest.self, reserve)
        routes.add(ReleaseRequest.self, release)
    }

    func balances(_ request: BalancesRequest) async throws -> BalancesReply {
        let balances = try await ledger.balances(of: request.users)
        return BalancesReply(balances: balances.map { BalancesReply.Balance(user: $0, balance: $1) })
    }

    func reserve(_ request: ReserveRequest) async throws -> ReserveReply {
        let spend = try SpendRequest(request.order)
        let reserve = try await asFailure { try await ledger.hold(spend) }
        return ReserveReply(key: spend.key, balance: reserve.balance)
    }

    func release(_ request: ReleaseRequest) async throws -> ReserveStateReply {
        try await asFailure { try await ledger.release(request.key) }
        return ReserveStateReply(state: .released)
    }

    /// Turns refusals of the ledger into error replies.
    private func asFailure<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let refusal as Spending.Refusal { throw Failure(refusal) }
    }
}

extension SpendRequest {
    /// Checks the limits of an order.
    init(_ order: SpendOrder) throws(Failure) {
        guard (1...Self.textLimit).contains(order.key.unicodeScalars.count), !order.key.utf8.contains(0) else {
            throw .invalid("key is not valid.")
        }
        guard (1...Self.amountLimit).contains(order.amount) else { throw .invalid("amount is not valid.") }
        guard order.reason.unicodeScalars.count <= Self.textLimit, !order.reason.utf8.contains(0) else {
            throw .invalid("reason is not valid.")
        }
        self.init(key: order.key, user: order.user, amount: order.amount, reason: order.reason)
    }
}

extension Failure {
    /// The error reply of a refused spend.
    init(_ refusal: Spending.Refusal) {
        self =
            switch refusal {
            case .notEnoughCoins: Failure(.notEnoughCoins, "Not enough coins.")
            case .otherSpend: Failure(.invalidRequest, "The key belongs to another spend.", status: 409)
            case .alreadyEnded: Failure(.invalidRequest, "The spend has already ended.", status: 409)
            case .unknown: .notFound
            }
    }
}
