import Contract
import HTTP
import ServiceKit
import Wire

/// Internal routes: balances and spends for the other services.
struct LedgerRoutes: Sendable {
    let ledger: Ledger

    func register(in routes: inout InternalRoutes) {
        routes.add(.get, "/internal/balances/{user}", balance)
        routes.add(.post, "/internal/balances", balances)
        routes.add(.post, "/internal/reserves", reserve)
        routes.add(.post, "/internal/reserves/{key}/capture", capture)
        routes.add(.post, "/internal/reserves/{key}/release", release)
    }

    func balance(_ call: InternalCall) async throws -> Response {
        let user: UserID = try call.id("user")
        let balance = try await ledger.balance(of: user)
        return call.reply { json in
            json.object { json in
                json.field("user_id", user.description)
                json.field("balance", balance)
            }
        }
    }

    func balances(_ call: InternalCall) async throws -> Response {
        let balances = try await ledger.balances(of: try await call.json().ids("ids"))
        return call.reply(capacity: 64 * balances.count) { json in
            json.object { json in
                json.array("balances") { json in
                    for (user, balance) in balances {
                        json.object { json in
                            json.field("user_id", user.description)
                            json.field("balance", balance)
                        }
                    }
                }
            }
        }
    }

    func reserve(_ call: InternalCall) async throws -> Response {
        let json = try await call.json()
        guard let key = json["key"]?.string else { throw Failure.invalid("key is not valid.") }
        let request = try SpendRequest(key: key, json)
        let reserve = try await asFailure { try await ledger.hold(request) }
        return call.reply { json in
            json.object { json in
                json.field("key", key)
                json.field("state", "reserved")
                json.field("balance", reserve.balance)
            }
        }
    }

    func capture(_ call: InternalCall) async throws -> Response {
        let request = try SpendRequest(key: call.text("key"), try await call.json())
        try await asFailure { try await ledger.capture(request) }
        return call.reply { json in json.object { json in json.field("state", "captured") } }
    }

    func release(_ call: InternalCall) async throws -> Response {
        let key = try call.text("key")
        try await asFailure { try await ledger.release(key) }
        return call.reply { json in json.object { json in json.field("state", "released") } }
    }

    /// Turns refusals of the ledger into error replies.
    private func asFailure<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let refusal as Spending.Refusal { throw Failure(refusal) }
    }
}

extension SpendRequest {
    /// Reads a spend request.
    init(key: String, _ json: JSONValue) throws(Failure) {
        let user: UserID = try json.id("user_id")
        guard (1...Self.textLimit).contains(key.unicodeScalars.count), !key.utf8.contains(0) else {
            throw .invalid("key is not valid.")
        }
        guard let amount = json["amount"]?.int, (1...Self.amountLimit).contains(amount) else {
            throw .invalid("amount is not valid.")
        }
        let reason = json["reason"]?.string ?? ""
        guard reason.unicodeScalars.count <= Self.textLimit, !reason.utf8.contains(0) else {
            throw .invalid("reason is not valid.")
        }
        self.init(key: key, user: user, amount: amount, reason: reason)
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
