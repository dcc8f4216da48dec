import ServiceSupport
import TestSupport
import Testing

@testable import auth_service
@testable import standins

@Suite("The number of codes by mail")
struct CodeCountTests {
    private static let verification = "/v1/users/email/verification"

    /// Orders a code that verifies the address of the account.
    private func order(_ fixture: AuthFixture, _ user: AuthFixture.TestUser) async throws -> String {
        try await fixture.service.call(
            "POST", Self.verification, token: user.access, json: #"{"email":"a@b.kr"}"#
        ).errorCode
    }

    @Test("A3: resets that strangers order do not keep the owner of an address from verifying it")
    func ofStrangers() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            for _ in 1...5 {
                let reset = try await fixture.service.call(
                    "POST", "/v1/users/password/reset", json: #"{"email":"a@b.kr"}"#)
                #expect(reset.status == 200)
            }
            #expect(try await order(fixture, user) == "")
            let code = try await fixture.code(to: "a@b.kr", about: "이메일 인증번호")
            let verified = try await fixture.service.call(
                "PUT", Self.verification, token: user.access, json: #"{"email":"a@b.kr","code":"\#(code)"}"#)
            #expect(verified.status == 200, "\(verified.text)")
        }
    }

    @Test("A19: an address gets no more codes by the deletion of its account, which leaves no address")
    func deletion() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            for _ in 1...5 { #expect(try await order(fixture, user) == "") }
            // The mail of a reset waits, and names no account.
            try await fixture.service.database.run(
                sql: """
                    insert into auth.mail (recipient, template, created_at, due_at, expires_at, code)
                    select 'a@b.kr', 'reset', 1, 9000000000000000, 9000000000000000, max(id) from auth.mail_code
                    """)
            let deleted = try await fixture.service.call(
                "DELETE", "/v1/users/me", token: user.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
            #expect(deleted.status == 200, "\(deleted.text)")
            let left = try await fixture.service.database.run(
                sql: """
                    select (select count(*) from auth.mail_code where address = 'a@b.kr' or account is not null),
                        (select count(*) from auth.mail where template = 'reset')
                    """)
            #expect(left == "0|0\n")
            #expect(try await order(fixture, try await fixture.join()) == "E98")
        }
    }
}
