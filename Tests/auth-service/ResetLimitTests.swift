import ServiceSupport
import TestSupport
import Testing

@testable import auth_service
@testable import standins

@Suite("Resets of a password that strangers order")
struct ResetLimitTests {
    private static let resetPath = "/v1/users/password/reset"
    /// The network that the owner has logged in from, and two others.
    private static let home = "192.0.2.1"
    private static let strangers = ["198.51.100.1", "203.0.113.1"]
    /// A code has six characters, so that this one is always wrong.
    private static let wrong = "123456x"

    private func call(
        _ fixture: AuthFixture, _ method: String, _ path: String = resetPath, from address: String, _ json: String
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            method, path, headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
            body: Array(json.utf8))
    }

    private func ask(_ fixture: AuthFixture, from address: String) async throws -> String {
        try await call(fixture, "POST", from: address, #"{"email":"a@b.kr"}"#).errorCode
    }

    private func reset(_ fixture: AuthFixture, _ code: String, from address: String) async throws -> HTTPCall.Reply {
        try await call(
            fixture, "PUT", from: address, #"{"email":"a@b.kr","code":"\#(code)","password":"Haetnim-77!"}"#)
    }

    /// Joins, and logs in at home.
    private func settle(_ fixture: AuthFixture) async throws {
        _ = try await fixture.join()
        let reply = try await call(
            fixture, "POST", "/v1/users/login", from: Self.home,
            #"{"email":"a@b.kr","password":"\#(AuthFixture.password)","deviceToken":""}"#)
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// Orders a code at home and returns it.
    ///
    /// - Parameter earlier: the codes for resets that were sent before.
    private func codeAtHome(_ fixture: AuthFixture, after earlier: Int) async throws -> String {
        @Sendable func sent() -> Int {
            fixture.providers.mail.sent.filter { $0.subject.contains("재설정 인증번호") }.count
        }
        try await eventually("the codes of the strangers") { sent() == earlier }
        #expect(try await ask(fixture, from: Self.home) == "")
        try await eventually("the code of the owner") { sent() == earlier + 1 }
        return try await fixture.code(to: "a@b.kr", about: "재설정 인증번호")
    }

    @Test("A3: strangers that order all codes and try them keep nobody from a reset at home")
    func strangers() async throws {
        try await AuthFixture.run { fixture async throws in
            try await settle(fixture)
            for number in 0..<5 {
                #expect(try await ask(fixture, from: Self.strangers[number % 2]) == "")
            }
            for address in Self.strangers { #expect(try await ask(fixture, from: address) == "E98") }
            let code = try await codeAtHome(fixture, after: 5)
            for address in Self.strangers {
                for _ in 1...5 { #expect(try await reset(fixture, Self.wrong, from: address).errorCode == "E11") }
            }
            let done = try await reset(fixture, code, from: Self.home)
            #expect(done.status == 200, "\(done.text)")
            // The codes of the strangers end with it.
            let left = try await fixture.service.database.run(
                sql: "select count(*) from auth.mail_code where used_at is null")
            #expect(left == "0\n")
        }
    }

    @Test("A19: however few tries a code from home has, other networks have one", arguments: [1, 2])
    func fewTries(_ tries: Int) async throws {
        try await AuthFixture.run(["code_tries": "\(tries)"]) { fixture async throws in
            try await settle(fixture)
            let code = try await codeAtHome(fixture, after: 0)
            #expect(try await reset(fixture, code, from: Self.strangers[0]).status == 200)
        }
    }

    @Test("A19: other networks have three of the five tries of a code from home, and home the rest")
    func tries() async throws {
        try await AuthFixture.run { fixture async throws in
            try await settle(fixture)
            let code = try await codeAtHome(fixture, after: 0)
            for address in Self.strangers {
                for _ in 1...5 { #expect(try await reset(fixture, Self.wrong, from: address).errorCode == "E11") }
            }
            let tries = try await fixture.service.database.run(sql: "select tries from auth.mail_code")
            #expect(tries == "3\n")
            #expect(try await reset(fixture, code, from: Self.strangers[0]).errorCode == "E11")
            for _ in 1...2 { #expect(try await reset(fixture, Self.wrong, from: Self.home).errorCode == "E11") }
            #expect(try await reset(fixture, code, from: Self.home).errorCode == "E11")
            // A new code has tries of its own, and may be brought from another network.
            let next = try await codeAtHome(fixture, after: 1)
            #expect(try await reset(fixture, next, from: Self.strangers[0]).status == 200)
        }
    }
}
