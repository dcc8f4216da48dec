import ServiceSupport
import TestSupport
import Testing

@testable import auth_service

@Suite("The back-off of logins across instances")
struct SharedBackoffTests {
    private struct Answer: Equatable {
        let code: String
        let retryAfter: Int?
    }

    /// Logs in at an instance from an address.
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

    /// Fails until E98, at most `most` times; returns the number of failures.
    private func failUntilRefused(_ most: Int, _ attempt: (Int) async throws -> Answer) async throws -> Int {
        for number in 1...most where try await attempt(number).code == "E98" { return number - 1 }
        return most
    }

    @Test("Failures at one instance count at the others and survive restarts")
    func shared() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            try await fixture.withInstance { other async throws in
                let failures = try await failUntilRefused(20) { _ in try await logIn(fixture.service) }
                #expect(failures >= 5)
                // The service does not wait long for Redis, so the counts may arrive late.
                try await eventually("three counts") {
                    try await fixture.service.redis.command("KEYS", "login:*").count >= 3
                }
                // Shorter waits could pass between attempts on a busy machine.
                try raiseCounts(fixture)
                // Alone, an instance refuses after five failures of its own.
                let others = try await failUntilRefused(20) { _ in try await logIn(other) }
                #expect(others < 5)
            }
            try await fixture.withInstance { restarted async throws in
                // A slow Redis is not waited for, and a new instance alone asks for a few seconds only.
                try await eventually("a refusal by the shared counts") {
                    let answer = try await logIn(restarted)
                    return answer.code == "E98" && (20...60).contains(answer.retryAfter ?? 0)
                }
                #expect(try await logIn(restarted, from: "2001:db8::1").code == "E03")
                // Another network would get E03 each time, with or without Redis.
                var second = try await logIn(restarted, from: "2001:db8::2")
                for host in 3...8 where second.code != "E98" {
                    second = try await logIn(restarted, from: "2001:db8::\(host)")
                }
                #expect(second.code == "E98", "the same /64 network")
            }
        }
    }

    /// Adds ten failures to every count.
    private func raiseCounts(_ fixture: AuthFixture) throws {
        let redis = try RawConnection(port: fixture.service.redis.port)
        let script = "for _, key in ipairs(redis.call('KEYS', 'login:*')) do redis.call('INCRBY', key, 10) end"
        try redis.send("EVAL \"\(script)\" 0\r\n")
        #expect(try redis.receive(until: "\r\n") == "$-1\r\n")
    }

    @Test("Without Redis each instance uses its own counts, and logins still work")
    func withoutRedis() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            await fixture.service.redis.stop()
            #expect(try await logIn(fixture.service, AuthFixture.password, from: "198.51.100.1").code == "")
            let failures = try await failUntilRefused(20) { _ in try await logIn(fixture.service) }
            #expect((5...9).contains(failures))
            try await fixture.service.redis.start()
            #expect(try await logIn(fixture.service, AuthFixture.password, from: "198.51.100.1").code == "")
        }
    }

    @Test("A pair known at one instance is known at the others, so the owner is not locked out")
    func knownPair() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            let home = "198.51.100.1"
            #expect(try await logIn(fixture.service, AuthFixture.password, from: home).code == "")
            _ = try await failUntilRefused(20) { _ in try await logIn(fixture.service) }
            try await fixture.withInstance { other async throws in
                for _ in 1...2 { #expect(try await logIn(other, AuthFixture.password, from: home).code == "") }
            }
        }
    }

    @Test("The counts in Redis contain no email")
    func anonymous() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            _ = try await logIn(fixture.service)
            // The service does not wait long for Redis, so the counts may arrive late.
            try await eventually("three counts") {
                try await fixture.service.redis.command("KEYS", "login:*").count == 3
            }
            for key in try await fixture.service.redis.command("KEYS", "login:*") { #expect(!key.contains("b.kr")) }
        }
    }
}
