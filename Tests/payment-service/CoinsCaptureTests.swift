import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("What workspace-service tells", .serialized)
struct CoinsCaptureTests {
    /// Tells a fact as workspace-service's outbox does.
    private func tell(_ id: Int, _ type: String, _ body: String, in house: PaymentHouse) async throws {
        try await onOwnThread {
            Result {
                let connection = try RawConnection(port: house.redis.port)
                let words = ["XADD", "facts:workspace", "*", "id", "\(id)", "type", type, "body", body]
                let command = words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
                try connection.send("*\(words.count)\r\n\(command)")
                _ = try connection.receive(until: "\r\n")
            }
        }.get()
    }

    private func body(_ key: String, _ amount: Int, user: Int = 7) -> String {
        #"{"key":"\#(key)","user_id":"\#(user)","amount":\#(amount),"reason":"workspace"}"#
    }

    @Test("A reserve is captured when the fact comes, once however often it is told, and whichever instance hears it")
    func capture() async throws {
        try await PaymentHouse.use(instances: 2) { house in
            _ = try await house.reserve("w-1", user: 7, amount: 10)
            for id in 1...5 { try await tell(id, "coins.capture", body("w-1", 10), in: house) }
            try await tell(6, "workspace.changed", #"{"workspace_id":"1","version":3}"#, in: house)
            try await tell(7, "coins.capture", #"{"key":5}"#, in: house)
            try await tell(8, "coins.capture", body("w-2", 20), in: house)
            try await eventually("the captures") {
                try await house.value("select sum(balance) from payment.balance where book = 'revenue'") == "30"
            }
            let captures = try await house.value(
                "select count(*) from payment.transaction where kind in ('capture', 'spend')")
            #expect(captures == "2")
            let balance = try await house.balance(7)
            #expect(balance == 70)
        }
    }

    @Test("Facts told while the service was down are followed when it is back")
    func catchUp() async throws {
        try await PaymentHouse.use { house in
            _ = try await house.reserve("w-1", user: 7, amount: 10)
            try await tell(1, "coins.capture", body("w-1", 10), in: house)
            try await house.replace(0)
            try await tell(2, "coins.capture", body("w-3", 5), in: house)
            try await eventually("the captures") { try await house.balance(7) == 85 }
        }
    }

    @Test("A capture that finds no coins is listed and counted, and does not stand in the way of the next")
    func short() async throws {
        try await PaymentHouse.use { house in
            try await tell(1, "coins.capture", body("w-1", 500), in: house)
            try await tell(2, "coins.capture", body("w-2", 20), in: house)
            try await eventually("the next capture") { try await house.balance(7) == 80 }
            let found = try await house.reconcile()
            #expect(found == ["capture_uncollected w-1"])
            try await eventually("the metric") {
                let page = try await HTTPCall.get(port: house.someone.internalPort, "/metrics").text
                return page.contains(#"maru_payment_differences{kind="capture_uncollected"} 1"#)
                    && page.contains(#"maru_payment_differences{kind="book_balance"} 0"#)
            }
        }
    }
}
