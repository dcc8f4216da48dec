import Testing
import Wire

@testable import payment_service

@Suite("Spending")
struct SpendingTests {
    let request = SpendRequest(key: "w-1", user: UserID(7), amount: 10, reason: "workspace")
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    var later: Timestamp { now + .seconds(600) }

    func held() -> Spending {
        var spending = Spending(reserve: nil, wallet: 100)
        _ = spending.hold(request, until: later)
        return spending
    }

    @Test("A reserve moves coins out of the wallet, and a capture spends them")
    func reserveAndCapture() {
        var spending = Spending(reserve: nil, wallet: 100)
        #expect(
            spending.hold(request, until: later)
                == .success(Posting(.reserve, of: "w-1", moving: 10, from: .wallet, to: .reserved)))
        #expect(spending.wallet == 90)
        #expect(spending.reserve?.balance == 90)
        #expect(
            spending.capture(request, at: now)
                == .success(Posting(.capture, of: "w-1", moving: 10, from: .reserved, to: .revenue)))
        #expect(spending.reserve?.state == .captured)
    }

    @Test("A repeated call moves no coins")
    func repetition() {
        var spending = held()
        #expect(spending.hold(request, until: later) == .success(nil))
        _ = spending.capture(request, at: now)
        #expect(spending.capture(request, at: now) == .success(nil))
        #expect(spending.hold(request, until: later) == .success(nil))
        #expect(spending.wallet == 90)
        #expect(spending.reserve?.balance == 90)

        var released = held()
        _ = released.release()
        #expect(released.release() == .success(nil))
        #expect(released.wallet == 100)
    }

    @Test("A reserve of more coins than the wallet has is refused and not stored")
    func short() {
        var spending = Spending(reserve: nil, wallet: 9)
        #expect(spending.hold(request, until: later) == .failure(.notEnoughCoins))
        #expect(spending.reserve == nil)
        #expect(spending.wallet == 9)
    }

    @Test(
        "A key with another user or amount is another spend",
        arguments: [(8, 10), (7, 11)])
    func otherSpend(user: Int64, amount: Int) {
        let other = SpendRequest(key: "w-1", user: UserID(user), amount: amount, reason: "workspace")
        var spending = held()
        #expect(spending.hold(other, until: later) == .failure(.otherSpend))
        #expect(spending.capture(other, at: now) == .failure(.otherSpend))
        #expect(spending.reserve?.state == .reserved)
    }

    @Test("A key with another reason is the same spend")
    func otherReason() {
        var spending = held()
        let same = SpendRequest(key: "w-1", user: UserID(7), amount: 10, reason: "something else")
        #expect(spending.hold(same, until: later) == .success(nil))
    }

    @Test("A captured spend cannot be released, and a released one cannot be captured or held")
    func ends() {
        var captured = held()
        _ = captured.capture(request, at: now)
        #expect(captured.release() == .failure(.alreadyEnded))
        var released = held()
        _ = released.release()
        #expect(released.capture(request, at: now) == .failure(.alreadyEnded))
        #expect(released.hold(request, until: later) == .failure(.alreadyEnded))
        #expect(released.wallet == 100)
    }

    @Test("A reserve expires at its time and not before")
    func expiry() {
        var spending = held()
        #expect(spending.expire(at: now) == .success(nil))
        #expect(spending.reserve?.state == .reserved)
        #expect(
            spending.expire(at: later)
                == .success(Posting(.expiry, of: "w-1", moving: 10, from: .reserved, to: .wallet)))
        #expect(spending.reserve?.state == .expired)
        #expect(spending.wallet == 100)
        #expect(spending.expire(at: later) == .success(nil))
    }

    @Test("A capture after the expiry takes coins from the wallet")
    func lateCapture() {
        var spending = held()
        _ = spending.expire(at: later)
        #expect(
            spending.capture(request, at: later)
                == .success(Posting(.spend, of: "w-1", moving: 10, from: .wallet, to: .revenue)))
        #expect(spending.wallet == 90)
    }

    @Test("A capture without enough coins is recorded until it succeeds")
    func uncollected() {
        var spending = Spending(reserve: nil, wallet: 5)
        #expect(spending.capture(request, at: now) == .failure(.notEnoughCoins))
        #expect(spending.reserve?.uncollectedAt == now)
        #expect(spending.reserve?.state == .expired)
        #expect(spending.hold(request, until: later) == .failure(.alreadyEnded))

        var richer = Spending(reserve: spending.reserve, wallet: 50)
        #expect(
            richer.capture(request, at: later)
                == .success(Posting(.spend, of: "w-1", moving: 10, from: .wallet, to: .revenue)))
        #expect(richer.reserve?.uncollectedAt == nil)
    }

    @Test("Releasing an expired reserve ends it and moves nothing; releasing an unknown key is refused")
    func lateRelease() {
        var spending = held()
        _ = spending.expire(at: later)
        #expect(spending.release() == .success(nil))
        #expect(spending.reserve?.state == .released)
        #expect(spending.wallet == 100)
        var unknown = Spending(reserve: nil, wallet: 100)
        #expect(unknown.release() == .failure(.unknown))
    }

    @Test("No sequence of calls makes or loses coins", arguments: 0..<200)
    func conservation(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var spending = Spending(reserve: nil, wallet: Int.random(in: 0...30, using: &random))
        var balances: [LedgerAccountKind: Int] = [.wallet: spending.wallet]
        for _ in 0..<12 {
            let amount = Bool.random(using: &random) ? 10 : Int.random(in: 1...20, using: &random)
            let request = SpendRequest(key: "k", user: UserID(1), amount: amount, reason: "")
            let step =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: spending.hold(request, until: later)
                case 1: spending.capture(request, at: now)
                case 2: spending.release()
                default: spending.expire(at: Bool.random(using: &random) ? now : later)
                }
            guard case .success(let posting?) = step else { continue }
            for entry in posting.entries { balances[entry.account, default: 0] += entry.amount }
            #expect(posting.entries.reduce(0) { $0 + $1.amount } == 0)
        }
        #expect(balances[.wallet] == spending.wallet)
        #expect(balances.values.allSatisfy { $0 >= 0 })
        #expect(
            balances[.reserved, default: 0]
                == (spending.reserve?.state == .reserved ? spending.reserve?.request.amount : 0))
        #expect(
            balances[.revenue, default: 0]
                == (spending.reserve?.state == .captured ? spending.reserve?.request.amount : 0)
        )
    }
}

/// Random numbers that repeat for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
