import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import payment_service

@Suite("Access to routes", .serialized)
struct AccessTests {
    static let clientRoutes = [
        ("GET", "/v1/store/item/list"), ("POST", "/v1/store/orders"), ("POST", "/v1/store/pay/validation"),
    ]
    static let internalRoutes = [
        ("POST", "/internal/balances"),
        ("POST", "/internal/reserves"), ("POST", "/internal/reserves/k/release"),
        ("GET", "/internal/differences"), ("POST", "/internal/reconciliation"),
    ]

    @Test("Every client route refuses calls without key, without token or with a wrong token, as the table says")
    func clients() async throws {
        try await PaymentFixture.use { fixture in
            for (method, path) in Self.clientRoutes {
                let codes = try await fixture.refusalProbe.codes(method, path, key: "sooda", json: "{}")
                #expect(codes == RefusalProbe.refusals, "\(path)")
            }
            let other = try await fixture.call("POST", "/v1/store/item/list")
            #expect(other.errorCode == "E97")
        }
    }

    @Test("Internal routes are not on the public port, and need the service credential on the internal one")
    func services() async throws {
        try await PaymentFixture.use { fixture in
            for (method, path) in Self.internalRoutes {
                let replies = try await fixture.refusalProbe.internalAnswers(method, path)
                #expect(replies == RefusalProbe.internalRefusals, "\(path)")
            }
            let accounts = try await fixture.value("select count(*) from payment.account")
            #expect(accounts == "0")
        }
    }

    @Test("A user cannot see or claim another user's payment")
    func otherUsers() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            _ = try await fixture.validate("imp_1", "ios_sooda_1", user: 7)
            let other = try await fixture.validate("imp_1", "ios_sooda_1", user: 8)
            #expect(other.status == 400)
            #expect(other.text == #"{"errorCode":"E82"}"# || other.errorCode == "E82")
            #expect(!other.text.contains("\"7\""))
        }
    }

    @Test("Too many calls of a user or webhooks of an address get E98 or 429 with Retry-After")
    func rateLimits() async throws {
        let settings = ["user_rate": "1", "user_burst": "5", "address_rate": "1", "address_burst": "5"]
        try await PaymentFixture.use(settings) { fixture in
            /// Calls until E98; returns the number of admitted calls, which is larger on a slow machine.
            func untilRefused(_ call: () async throws -> HTTPCall.Reply) async throws -> (Int, HTTPCall.Reply) {
                for admitted in 0..<200 {
                    let reply = try await call()
                    if reply.errorCode == "E98" { return (admitted, reply) }
                    #expect(reply.status == 200)
                }
                throw NeverHappened(description: "a refusal")
            }
            let (calls, refusal) = try await untilRefused { try await fixture.call("GET", "/v1/store/item/list") }
            #expect(calls >= 5)
            #expect(refusal.status == 400)
            #expect(refusal.headers["retry-after"] != nil)
            let otherUser = try await fixture.call("GET", "/v1/store/item/list", user: 8, key: "native")
            #expect(otherUser.status == 200)
            let (_, other) = try await untilRefused {
                try await fixture.call("GET", "/v1/store/item/list", user: 8, key: "native")
            }
            #expect(other.status == 429)
            #expect(other.headers["retry-after"] != nil)

            fixture.provider.put(.init(reference: "imp_1", order: "ios_sooda_1"))
            let (webhooks, _) = try await untilRefused { try await fixture.webhookV1("imp_1") }
            #expect(fixture.provider.lookups <= webhooks + 1)
        }
    }

    @Test("One user cannot fill the table of attempts while the provider is down")
    func attemptsAreBounded() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.behavior = .failing
            var codes: [String] = []
            for number in 0..<25 { codes.append(try await fixture.validate("imp_\(number)", "ios_sooda_1").errorCode) }
            #expect(codes == Array(repeating: "E99", count: 20) + Array(repeating: "E98", count: 5))
            let other = try await fixture.validate("imp_1", "ios_sooda_1", user: 8)
            #expect(other.errorCode == "E99")
        }
    }

    @Test("Unsigned webhooks cannot fill the table of attempts while the provider is down")
    func webhookAttemptsAreBounded() async throws {
        try await PaymentFixture.use { fixture in
            fixture.provider.behavior = .failing
            try await fixture.database.run(
                sql: """
                    insert into payment.attempt (provider, reference, next_try_at)
                    select 'portone-v1', 'imp_open_' || number, (extract(epoch from now()) * 1000)::bigint + 3600000
                    from generate_series(1, 9999) as number
                    """)
            #expect(try await fixture.webhookV1("imp_1").status == 200)
            let refused = try await fixture.webhookV1("imp_2")
            #expect(refused.errorCode == "E98")
            #expect(try await fixture.validate("imp_3", "ios_sooda_3").errorCode == "E99")
        }
    }

    @Test("No personal or card data, token or secret is in logs, facts or tables")
    func privacy() async throws {
        try await PaymentFixture.use(["log_level": "debug"]) { fixture in
            for reference in ["imp_1", "pay-1"] {
                fixture.provider.put(.init(reference: reference, order: "ios_sooda_1"))
                _ = try await fixture.validate(reference, "ios_sooda_1")
                fixture.provider.change(reference) { $0.status = "cancelled" }
            }
            _ = try await fixture.webhookV1("imp_1")
            _ = try await fixture.webhookV2("pay-1", id: "w")
            fixture.provider.behavior = .failing
            _ = try await fixture.validate("imp_2", "ios_sooda_2")
            _ = try await fixture.reconcile()
            let facts = try await fixture.facts(5).joined()
            let tables = try await fixture.database.run(
                sql: "table payment.payment; table payment.attempt; table payment.outbox; table payment.transaction")
            let secrets = [
                Secrets.buyer, Secrets.email, Secrets.card, "v2secret", "\"secret\"", ServiceUnderTest.credential,
            ]
            for secret in secrets {
                for text in [fixture.log, facts, tables] { #expect(!text.contains(secret), "\(secret)") }
            }
            #expect(!fixture.log.contains("eyJ"))
            #expect(!fixture.log.isEmpty)
        }
    }
}
