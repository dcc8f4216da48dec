import Contract
import HTTP
import Testing
import Wire

@testable import ServiceKit

@Suite("Reply budget")
struct ReplyBudgetTests {
    private let budget = ReplyBudget(.init(user: 100, address: 300, process: 500))

    /// Whether a call is admitted.
    private func admits(_ user: Int64?, at address: String) -> Bool {
        do {
            try budget.admit(user.map { UserID($0) }, at: address)
            return true
        } catch {
            #expect(error.code == .tooManyCalls && error.status == 429 && error.retryAfter == .seconds(5))
            return false
        }
    }

    private func wait(_ bytes: Int, for user: Int64?, at address: String) {
        budget.account(of: user.map { UserID($0) }, at: address).waitingBytesChanged(by: bytes)
    }

    @Test("A user is refused at the user's limit, and admitted once the client has read")
    func user() {
        wait(99, for: 1, at: "10.0.0.1")
        #expect(admits(1, at: "10.0.0.1"))
        wait(1, for: 1, at: "10.0.0.1")
        #expect(!admits(1, at: "10.0.0.2"))
        #expect(admits(2, at: "10.0.0.1"))
        #expect(admits(nil, at: "10.0.0.1"))
        wait(-100, for: 1, at: "10.0.0.1")
        #expect(admits(1, at: "10.0.0.1") && budget.waitingBytes == 0)
    }

    @Test("An address is refused at its limit under any user; an IPv6 network counts as one address")
    func address() {
        for user in 1...4 as ClosedRange<Int64> { wait(75, for: user, at: "2001:db8::\(user)") }
        #expect(!admits(5, at: "2001:db8::9"))
        #expect(!admits(nil, at: "2001:db8::9"))
        #expect(admits(5, at: "2001:db8:0:1::9"))
    }

    @Test("At the limit of the process slow callers are refused, at twice the limit all callers")
    func process() {
        for user in 1...6 as ClosedRange<Int64> { wait(90, for: user, at: "10.0.0.\(user)") }
        #expect(!admits(1, at: "10.0.0.1"))
        #expect(!admits(7, at: "10.0.0.1"))
        #expect(admits(7, at: "10.0.0.7"))
        for user in 11...16 as ClosedRange<Int64> { wait(90, for: user, at: "10.0.0.\(user)") }
        #expect(!admits(7, at: "10.0.0.7"))
    }
}
