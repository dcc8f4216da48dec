import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("The ledger against a model", .serialized)
struct ModelTests {
    static let users = 1...6 as ClosedRange<Int64>

    /// How many instances were killed so far.
    private final class Kills: Sendable {
        private let killed = Atomic(0)

        var count: Int { killed.load(ordering: .relaxed) }

        func add() { killed.add(1, ordering: .relaxed) }
    }

    @Test(
        "Random purchases, spends and refunds over two instances that are killed again and again end in the books of a model",
        arguments: [1, 2])
    func model(seed: Int) async throws {
        try await PaymentHouse.use(instances: 2) { house in
            let isDone = Atomic(false)
            let kills = Kills()
            async let chaos: Void = Self.kill(house, until: isDone, counting: kills)
            let models = try await withThrowingTaskGroup(of: (Int64, MoneyModel).self) { group in
                for user in Self.users {
                    group.addTask {
                        var driver = MoneyDriver(house: house, user: user, seed: UInt64(seed) &* 1000 &+ UInt64(user))
                        // Starting instances may take longer than all that.
                        return (user, try await driver.run(60) { kills.count >= 3 })
                    }
                }
                return try await group.reduce(into: [Int64: MoneyModel]()) { $0[$1.0] = $1.1 }
            }
            isDone.store(true, ordering: .relaxed)
            try await chaos
            #expect(kills.count >= 3)
            for (user, model) in models {
                let rows = try await house.database.run(
                    sql: "select book, balance from payment.balance where user_id = \(user) and balance <> 0")
                let books = rows.split(separator: "\n").map { $0.split(separator: "|") }
                #expect(Dictionary(uniqueKeysWithValues: books.map { (String($0[0]), Int($0[1])!) }) == model.books)
            }
            #expect(models.values.contains { $0.losses > 0 })
            let differences = try await house.reconcile()
            #expect(differences.isEmpty)
            #expect(house.refusedStatements == [])
        }
    }

    /// Kills and replaces instances, one after the other.
    private static func kill(
        _ house: PaymentHouse, until isDone: borrowing Atomic<Bool>, counting kills: Kills
    ) async throws {
        while !isDone.load(ordering: .relaxed) {
            try await house.replace(kills.count)
            kills.add()
        }
    }
}

/// Does random things for one user, each until it is certain that it was done, and checks every answer with the model.
struct MoneyDriver {
    let house: PaymentHouse
    let user: Int64
    var random: SeededGenerator
    var model = MoneyModel()
    private var steps = 0

    init(house: PaymentHouse, user: Int64, seed: UInt64) {
        self.house = house
        self.user = user
        random = SeededGenerator(seed: seed)
    }

    /// Does so many things, and more until `isEnough`.
    mutating func run(_ count: Int, until isEnough: () -> Bool) async throws -> MoneyModel {
        while steps < count || !isEnough() && steps < 50 * count {
            steps += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: try await buy()
            case 2...3: try await spendHeld()
            case 4...5: try await spendAtOnce()
            case 6: try await thinkBetter()
            case 7...8: try await cancel()
            default: try await look()
            }
        }
        try await look()
        return model
    }

    private func look() async throws {
        let house = house, user = user
        let reply = try await house.persistently {
            try await house.ask("POST", "/internal/balances", json: #"{"ids":["\#(user)"]}"#)
        }
        #expect(try JSONValue(parsing: reply.body)["balances"]?[0]?["balance"]?.int == model.wallet)
    }

    private mutating func buy() async throws {
        let items = [("10 Coin", 100, 10), ("50 Coin", 500, 50), ("100 Coin", 1000, 100)]
        let (item, amount, coins) = items.randomElement(using: &random)!
        let kind = Bool.random(using: &random) ? "imp" : "pay"
        let (reference, order) = ("\(kind)_\(user)_\(steps)", "ios_sooda_\(user)\(steps)")
        house.world.put(.init(reference: reference, order: order, item: item, amount: amount))
        let house = house, user = user
        let reply = try await house.persistently { try await house.validate(reference, order, user: user) }
        #expect(reply.status == 200, "\(reply.text)")
        model.buy(reference, amount: amount, coins: coins)
    }

    private mutating func spendHeld() async throws {
        let (key, amount) = ("held-\(user)-\(steps)", Int.random(in: 1...80, using: &random))
        let house = house, user = user
        let reply = try await house.persistently { try await house.reserve(key, user: user, amount: amount) }
        let isEnough = model.spend(amount)
        #expect(reply.status == (isEnough ? 200 : 402), "\(reply.text)")
        guard isEnough else { return }
        let end = try await house.persistently { try await house.capture(key, user: user, amount: amount) }
        #expect(end.status == 200, "\(end.text)")
    }

    private mutating func spendAtOnce() async throws {
        let (key, amount) = ("once-\(user)-\(steps)", Int.random(in: 1...80, using: &random))
        let isEnough = model.spend(amount)
        guard isEnough else { return }
        let house = house, user = user
        for _ in 0..<2 {
            let reply = try await house.persistently { try await house.capture(key, user: user, amount: amount) }
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    private mutating func thinkBetter() async throws {
        let (key, amount) = ("back-\(user)-\(steps)", Int.random(in: 1...50, using: &random))
        guard model.wallet >= amount else { return }
        let house = house, user = user
        _ = try await house.persistently { try await house.reserve(key, user: user, amount: amount) }
        let reply = try await house.persistently { try await house.release(key) }
        #expect(reply.status == 200, "\(reply.text)")
    }

    private mutating func cancel() async throws {
        guard let index = model.purchases.indices.randomElement(using: &random) else { return }
        let purchase = model.purchases[index]
        let left = purchase.amount - purchase.cancelled
        guard left > 0 else { return }
        let amount = Bool.random(using: &random) ? left : Int.random(in: 1...left, using: &random)
        house.world.change(purchase.reference) { payment in
            payment.cancelled += amount
            if payment.cancelled == payment.amount { payment.status = "cancelled" }
        }
        let house = house, id = UInt64.random(in: 0 ... .max, using: &random)
        var turn = 0
        // A webhook of its own each time: one that a crash has cut off would be taken up, but later.
        let reply = try await house.persistently {
            turn += 1
            return purchase.reference.hasPrefix("imp")
                ? try await house.oldWebhook(purchase.reference, status: "cancelled")
                : try await house.newWebhook(purchase.reference, id: "\(id)-\(turn)", type: "Transaction.Cancelled")
        }
        #expect(reply.status == 200, "\(reply.text)")
        model.cancel(index, amount)
    }
}
