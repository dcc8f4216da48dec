import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Who may call what", .serialized)
struct AccessTests {
    static let clientRoutes = [("GET", "/v1/store/item/list"), ("POST", "/v1/store/pay/validation")]
    static let internalRoutes = [
        ("POST", "/internal/balances"),
        ("POST", "/internal/reserves"), ("POST", "/internal/reserves/k/capture"),
        ("POST", "/internal/reserves/k/release"), ("GET", "/internal/differences"),
        ("POST", "/internal/reconciliation"),
    ]

    @Test("Every route of clients answers the anonymous, the keyless and strangers' tokens as the table says")
    func clients() async throws {
        try await PaymentHouse.use { house in
            for (method, path) in Self.clientRoutes {
                let codes = try await house.doors.codes(method, path, key: "sooda", json: "{}")
                #expect(codes == ServiceDoors.refusals, "\(path)")
            }
            let other = try await house.call("POST", "/v1/store/item/list")
            #expect(other.errorCode == "E97")
        }
    }

    @Test("Internal routes are not on the clients' port, and need the service credential on their own")
    func services() async throws {
        try await PaymentHouse.use { house in
            for (method, path) in Self.internalRoutes {
                let answers = try await house.doors.internalAnswers(method, path)
                #expect(answers == ServiceDoors.internalRefusals, "\(path)")
            }
            let accounts = try await house.value("select count(*) from payment.account")
            #expect(accounts == "0")
        }
    }

    @Test("One user cannot see or claim another's payment")
    func otherUsers() async throws {
        try await PaymentHouse.use { house in
            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await house.validate("imp_1", "ios_sooda_1", user: 7)
            let other = try await house.validate("imp_1", "ios_sooda_1", user: 8)
            #expect(other.status == 400)
            #expect(other.text == #"{"errorCode":"E82"}"# || other.errorCode == "E82")
            #expect(!other.text.contains("\"7\""))
        }
    }

    @Test("Too many calls of a user, or webhooks of an address, are told E98 or 429 and when to come again")
    func rateLimits() async throws {
        let settings = ["user_rate": "1", "user_burst": "5", "address_rate": "1", "address_burst": "5"]
        try await PaymentHouse.use(settings) { house in
            /// Calls until it is told E98, which the slower the calls are the later it is; how often it was not.
            func untilRefused(_ call: () async throws -> HTTPCall.Reply) async throws -> (Int, HTTPCall.Reply) {
                for admitted in 0..<200 {
                    let reply = try await call()
                    if reply.errorCode == "E98" { return (admitted, reply) }
                    #expect(reply.status == 200)
                }
                throw NeverHappened(description: "a refusal")
            }
            let (calls, refusal) = try await untilRefused { try await house.call("GET", "/v1/store/item/list") }
            #expect(calls >= 5)
            #expect(refusal.status == 400)
            #expect(refusal.headers["retry-after"] != nil)
            let neighbour = try await house.call("GET", "/v1/store/item/list", user: 8, key: "native")
            #expect(neighbour.status == 200)
            let (_, other) = try await untilRefused {
                try await house.call("GET", "/v1/store/item/list", user: 8, key: "native")
            }
            #expect(other.status == 429)
            #expect(other.headers["retry-after"] != nil)

            house.world.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            let (webhooks, _) = try await untilRefused { try await house.oldWebhook("imp_1") }
            #expect(house.world.asked <= webhooks + 1)
        }
    }

    @Test("One user cannot fill the table of attempts while the provider is down")
    func attemptsAreBounded() async throws {
        try await PaymentHouse.use { house in
            house.world.mood = .failing
            var codes: [String] = []
            for number in 0..<25 { codes.append(try await house.validate("imp_\(number)", "ios_sooda_1").errorCode) }
            #expect(codes == Array(repeating: "E99", count: 20) + Array(repeating: "E98", count: 5))
            let other = try await house.validate("imp_1", "ios_sooda_1", user: 8)
            #expect(other.errorCode == "E99")
        }
    }

    @Test("No personal or card data, token, secret or reference stands in logs, facts or tables")
    func privacy() async throws {
        try await PaymentHouse.use(["log_level": "debug"]) { house in
            for reference in ["imp_1", "pay-1"] {
                house.world.put(.init(reference: reference, order: "ios_sooda_1"))
                _ = try await house.validate(reference, "ios_sooda_1")
                house.world.change(reference) { $0.status = "cancelled" }
            }
            _ = try await house.oldWebhook("imp_1")
            _ = try await house.newWebhook("pay-1", id: "w")
            house.world.mood = .failing
            _ = try await house.validate("imp_2", "ios_sooda_2")
            _ = try await house.reconcile()
            let facts = try await house.facts(5).joined()
            let tables = try await house.database.run(
                sql: "table payment.payment; table payment.attempt; table payment.outbox; table payment.transaction")
            let secrets = [
                Secrets.buyer, Secrets.email, Secrets.card, "v2secret", "\"secret\"", ServiceUnderTest.credential,
            ]
            for secret in secrets {
                for place in [house.log, facts, tables] { #expect(!place.contains(secret), "\(secret)") }
            }
            #expect(!house.log.contains("eyJ"))
            #expect(!house.log.isEmpty)
        }
    }
}
