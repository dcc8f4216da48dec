import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("The ledger against a model", .serialized)
struct ModelTests {
    static let users = 1...6 as ClosedRange<Int64>

    /// Counts the killed instances.
    private final class Kills: Sendable {
        private let killed = Atomic(0)

        var count: Int { killed.load(ordering: .relaxed) }

        func add() { killed.add(1, ordering: .relaxed) }
    }

    @Test(
        "Random purchases, spends and refunds on two instances that are killed repeatedly end in the balances of a model",
        arguments: [1, 2])
    func model(seed: Int) async throws {
        try await PaymentFixture.use(instances: 2) { fixture in
            let isDone = Atomic(false)
            let kills = Kills()
            async let chaos: Void = Self.kill(fixture, until: isDone, counting: kills)
            let models = try await withThrowingTaskGroup(of: (Int64, MoneyModel).self) { group in
                for user in Self.users {
                    group.addTask {
                        var driver = MoneyDriver(
                            fixture: fixture, user: user, seed: UInt64(seed) &* 1000 &+ UInt64(user))
                        // Starting instances may take longer than the steps.
                        return (user, try await driver.run(60) { kills.count >= 3 })
                    }
                }
                return try await group.reduce(into: [Int64: MoneyModel]()) { $0[$1.0] = $1.1 }
            }
            isDone.store(true, ordering: .relaxed)
            try await chaos
            #expect(kills.count >= 3)
            for (user, model) in models {
                let rows = try await fixture.database.run(
                    sql: "select book, balance from payment.balance where user_id = \(user) and balance <> 0")
                let books = rows.split(separator: "\n").map { $0.split(separator: "|") }
                #expect(Dictionary(uniqueKeysWithValues: books.map { (String($0[0]), Int($0[1])!) }) == model.books)
            }
            #expect(models.values.contains { $0.losses > 0 })
            let differences = try await fixture.reconcile()
            #expect(differences.isEmpty)
            #expect(fixture.refusedStatements == [])
        }
    }

    /// Kills and replaces instances, one after the other.
    private static func kill(
        _ fixture: PaymentFixture, until isDone: borrowing Atomic<Bool>, counting kills: Kills
    ) async throws {
        while !isDone.load(ordering: .relaxed) {
            try await fixture.replace(kills.count)
            kills.add()
        }
    }
}

/// Makes random calls for one user, retries each until it is answered, and compares every reply with the model.
struct MoneyDriver {
    let fixture: PaymentFixture
    let user: Int64
    var random: SeededGenerator
    var model = MoneyModel()
    private var steps = 0

    init(fixture: PaymentFixture, user: Int64, seed: UInt64) {
        self.fixture = fixture
        self.user = user
        random = SeededGenerator(seed: seed)
    }

    /// Makes `count` calls, and more until `isEnough`.
    mutating func run(_ count: Int, until isEnough: () -> Bool) async throws -> MoneyModel {
        while steps < count || !isEnough() && steps < 50 * count {
            steps += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: try await buy()
            case 2...3: try await spendHeld()
            case 4...5: try await spendAtOnce()
            case 6: try await reserveAndRelease()
            case 7...8: try await cancel()
            default: try await checkBalance()
            }
        }
        try await checkBalance()
        return model
    }

    private func checkBalance() async throws {
        let fixture = fixture, user = user
        let reply = try await fixture.retried {
            try await fixture.ask("POST", "/internal/balances", json: #"{"ids":["\#(user)"]}"#)
        }
        #expect(try JSONValue(parsing: reply.body)["balances"]?[0]?["balance"]?.int == model.wallet)
    }

    private mutating func buy() async throws {
        let items = [("10 Coin", 100, 10), ("50 Coin", 500, 50), ("100 Coin", 1000, 100)]
        let (item, amount, coins) = items.randomElement(using: &random)!
        let kind = Bool.random(using: &random) ? "imp" : "pay"
        let (reference, order) = ("\(kind)_\(user)_\(steps)", "ios_sooda_\(user)\(steps)")
        fixture.provider.put(.init(reference: reference, order: order, item: item, amount: amount))
        let fixture = fixture, user = user
        let reply = try await fixture.retried { try await fixture.validate(reference, order, user: user) }
        #expect(reply.status == 200, "\(reply.text)")
        model.buy(reference, amount: amount, coins: coins)
    }

    private mutating func spendHeld() async throws {
        let (key, amount) = ("held-\(user)-\(steps)", Int.random(in: 1...80, using: &random))
        let fixture = fixture, user = user
        let reply = try await fixture.retried { try await fixture.reserve(key, user: user, amount: amount) }
        let isEnough = model.spend(amount)
        #expect(reply.status == (isEnough ? 200 : 402), "\(reply.text)")
        guard isEnough else { return }
        #expect(try await fixture.capture(key, user: user, amount: amount))
    }

    private mutating func spendAtOnce() async throws {
        let (key, amount) = ("once-\(user)-\(steps)", Int.random(in: 1...80, using: &random))
        let isEnough = model.spend(amount)
        guard isEnough else { return }
        let fixture = fixture, user = user
        for _ in 0..<2 { #expect(try await fixture.capture(key, user: user, amount: amount)) }
    }

    private mutating func reserveAndRelease() async throws {
        let (key, amount) = ("back-\(user)-\(steps)", Int.random(in: 1...50, using: &random))
        guard model.wallet >= amount else { return }
        let fixture = fixture, user = user
        _ = try await fixture.retried { try await fixture.reserve(key, user: user, amount: amount) }
        let reply = try await fixture.retried { try await fixture.release(key) }
        #expect(reply.status == 200, "\(reply.text)")
    }

    private mutating func cancel() async throws {
        guard let index = model.purchases.indices.randomElement(using: &random) else { return }
        let purchase = model.purchases[index]
        let left = purchase.amount - purchase.cancelled
        guard left > 0 else { return }
        let amount = Bool.random(using: &random) ? left : Int.random(in: 1...left, using: &random)
        fixture.provider.change(purchase.reference) { payment in
            payment.cancelled += amount
            if payment.cancelled == payment.amount { payment.status = "cancelled" }
        }
        let fixture = fixture, id = UInt64.random(in: 0 ... .max, using: &random)
        var round = 0
        // Each try has an id of its own: a webhook that a crash interrupted is resumed, but later.
        let reply = try await fixture.retried {
            round += 1
            return purchase.reference.hasPrefix("imp")
                ? try await fixture.webhookV1(purchase.reference, status: "cancelled")
                : try await fixture.webhookV2(purchase.reference, id: "\(id)-\(round)", type: "Transaction.Cancelled")
        }
        #expect(reply.status == 200, "\(reply.text)")
        model.cancel(index, amount)
    }
}
