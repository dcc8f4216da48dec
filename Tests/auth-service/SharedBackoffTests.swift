import ServiceSupport
import TestSupport
import Testing

@testable import auth_service

@Suite("The back-off of logins over instances")
struct SharedBackoffTests {
    private struct Answer: Equatable {
        let code: String
        let retryAfter: Int?
    }

    /// A login at an instance, from an address.
    private func logIn(
        _ service: ServiceUnderTest, _ password: String = "Wr0ng-one", email: String = "a@b.kr",
        from address: String = "192.0.2.1"
    ) async throws -> Answer {
        let reply = try await service.call(
            "POST", "/v1/users/login",
            headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
            body: Array(#"{"email":"\#(email)","password":"\#(password)"}"#.utf8))
        return Answer(code: reply.errorCode, retryAfter: reply.headers["retry-after"].flatMap { Int($0) })
    }

    /// Fails until E98, at most so often; how often it took.
    private func failUntilRefused(_ most: Int, _ attempt: (Int) async throws -> Answer) async throws -> Int {
        for number in 1...most where try await attempt(number).code == "E98" { return number - 1 }
        return most
    }

    @Test("Guesses at one instance count at the others, and outlive all of them")
    func shared() async throws {
        try await AuthHouse.run { house async throws in
            _ = try await house.join()
            try await house.withInstance { other async throws in
                let failures = try await failUntilRefused(20) { number in
                    try await logIn(number.isMultiple(of: 2) ? other : house.service)
                }
                // A busy machine may let the first waits pass.
                #expect((5...9).contains(failures))
            }
            try raiseCounts(house)
            try await house.withInstance { restarted async throws in
                var answer = try await logIn(restarted)
                // Nobody waits long for Redis; by itself it would not refuse these.
                for _ in 1...3 where answer.code != "E98" { answer = try await logIn(restarted) }
                #expect(answer.code == "E98")
                #expect((20...60).contains(try #require(answer.retryAfter)))
                #expect(try await logIn(restarted, from: "2001:db8::1").code == "E03")
                #expect(try await logIn(restarted, from: "2001:db8::2").code == "E98", "the same network")
            }
        }
    }

    /// As if there had been ten failures more of everybody.
    private func raiseCounts(_ house: AuthHouse) throws {
        let redis = try RawConnection(port: house.service.redis.port)
        let script = "for _, key in ipairs(redis.call('KEYS', 'login:*')) do redis.call('INCRBY', key, 10) end"
        try redis.send("EVAL \"\(script)\" 0\r\n")
        #expect(try redis.receive(until: "\r\n") == "$-1\r\n")
    }

    @Test("Without Redis each instance goes by what it has seen, and logins go on")
    func withoutRedis() async throws {
        try await AuthHouse.run { house async throws in
            _ = try await house.join()
            await house.service.redis.stop()
            #expect(try await logIn(house.service, AuthHouse.password, from: "198.51.100.1").code == "")
            let failures = try await failUntilRefused(20) { _ in try await logIn(house.service) }
            #expect((5...9).contains(failures))
            try await house.service.redis.start()
            #expect(try await logIn(house.service, AuthHouse.password, from: "198.51.100.1").code == "")
        }
    }

    @Test("An owner known at one instance is known at the others: nobody locks them out")
    func acquainted() async throws {
        try await AuthHouse.run { house async throws in
            _ = try await house.join()
            let home = "198.51.100.1"
            #expect(try await logIn(house.service, AuthHouse.password, from: home).code == "")
            _ = try await failUntilRefused(20) { _ in try await logIn(house.service) }
            try await house.withInstance { other async throws in
                for _ in 1...2 { #expect(try await logIn(other, AuthHouse.password, from: home).code == "") }
            }
        }
    }

    @Test("Nothing that Redis keeps of attempts tells an email")
    func anonymous() async throws {
        try await AuthHouse.run { house async throws in
            _ = try await house.join()
            _ = try await logIn(house.service)
            // Nobody waits long for Redis.
            try await eventually("three counts") {
                try await house.service.redis.command("KEYS", "login:*").count == 3
            }
            for key in try await house.service.redis.command("KEYS", "login:*") { #expect(!key.contains("b.kr")) }
        }
    }
}
