import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Codes by mail")
struct CodeTests {
    private static let verification = "/v1/users/email/verification"
    private static let reset = "/v1/users/password/reset"
    private static let newPassword = "Haetnim-77!"

    private func ask(_ fixture: AuthFixture, for email: String = "a@b.kr") async throws -> HTTPCall.Reply {
        try await fixture.service.call("POST", Self.reset, json: #"{"email":"\#(email)"}"#)
    }

    private func reset(
        _ fixture: AuthFixture, _ code: String, of email: String = "a@b.kr", to password: String = newPassword
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            "PUT", Self.reset, json: #"{"email":"\#(email)","code":"\#(code)","password":"\#(password)"}"#)
    }

    private func verify(
        _ fixture: AuthFixture, _ code: String, of email: String, _ user: AuthFixture.TestUser
    ) async throws -> String {
        try await fixture.service.call(
            "PUT", Self.verification, token: user.access, json: #"{"email":"\#(email)","code":"\#(code)"}"#
        ).errorCode
    }

    /// A code that is not this one.
    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("A19: a code is single-use, and a reset ends every session and notifies the owner")
    func resetEndsSessions() async throws {
        try await AuthFixture.run { fixture async throws in
            let (first, second) = (try await fixture.join(), try await fixture.logIn())
            #expect(try await ask(fixture).status == 200)
            let code = try await fixture.code(to: "a@b.kr")
            #expect(try await reset(fixture, " \(code.prefix(3)) \(code.dropFirst(3))").status == 200)
            for user in [first, second] {
                #expect(try await fixture.me(user.access).errorCode == "E05")
                #expect(try await fixture.refresh(user.refresh).errorCode == "E06")
            }
            #expect(try await fixture.logInReply().errorCode == "E03")
            #expect(try await fixture.logInReply(password: Self.newPassword).status == 200)
            #expect(try await reset(fixture, code, to: "Dalnim-88!").errorCode == "E11")
            _ = try await fixture.mail(to: "a@b.kr", about: "재설정했습니다")
        }
    }

    @Test("A19: of many calls with one right code at a time, one succeeds")
    func race() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            _ = try await ask(fixture)
            let code = try await fixture.code(to: "a@b.kr")
            let replies = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...5 { group.addTask { try await reset(fixture, code).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.filter { $0 == 200 }.count == 1)
        }
    }

    @Test("A19: a code is bound to its purpose, its address and its account")
    func bound() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("other@b.kr"))
            // The same mailbox gets codes of each purpose.
            _ = try await ask(fixture)
            let ofReset = try await fixture.code(to: "a@b.kr", about: "재설정 인증번호")
            #expect(try await verify(fixture, ofReset, of: "a@b.kr", user) == "E11")
            _ = try await fixture.service.call(
                "POST", Self.verification, token: user.access, json: #"{"email":"a@b.kr"}"#)
            let ofVerification = try await fixture.code(to: "a@b.kr", about: "이메일 인증번호")
            #expect(try await reset(fixture, ofVerification).errorCode == "E11")
            #expect(try await verify(fixture, ofVerification, of: "other@b.kr", user) == "E11")
            #expect(try await verify(fixture, ofVerification, of: "a@b.kr", other) == "E11")
            #expect(try await verify(fixture, ofVerification, of: "A@B.kr", user) == "")
            let verified = try await fixture.service.database.run(
                sql: "select email from auth.account where is_email_verified")
            #expect(verified == "a@b.kr\n")
        }
    }

    @Test("A19: after five wrong tries, one at a time or all at once, the right code is refused too")
    func tries() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            _ = try await ask(fixture)
            let code = try await fixture.code(to: "a@b.kr")
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...5 { group.addTask { try await reset(fixture, wrong(code)).errorCode } }
                for try await answer in group { #expect(answer == "E11") }
            }
            #expect(try await reset(fixture, code).errorCode == "E11")
            // A new code has tries of its own, and the old one stays useless.
            _ = try await ask(fixture)
            try await eventually("the next code") { fixture.providers.mail.sent.count == 2 }
            let next = try await fixture.code(to: "a@b.kr")
            if next != code { #expect(try await reset(fixture, code).errorCode == "E11") }
            #expect(try await reset(fixture, next).status == 200)
        }
    }

    @Test("A19: a code ends after its ten minutes")
    func lifetime() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            _ = try await ask(fixture)
            let code = try await fixture.code(to: "a@b.kr")
            let left = try await fixture.service.database.run(
                sql: "update auth.mail_code set expires_at = created_at returning expires_at - created_at")
            #expect(left == "0\n")
            #expect(try await reset(fixture, code).errorCode == "E11")
        }
    }

    @Test("A19: the sixth code in an hour is E98, to an address and of an account")
    func mails() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            for _ in 1...5 { #expect(try await ask(fixture).status == 200) }
            let refused = try await ask(fixture)
            #expect(refused.errorCode == "E98")
            #expect((3500...3600).contains(refused.headers["retry-after"].flatMap { Int($0) } ?? 0))
            let answers = try await (1...6).asyncMap { number in
                try await fixture.service.call(
                    "POST", Self.verification, token: user.access, json: #"{"email":"new\#(number)@b.kr"}"#
                ).errorCode
            }
            #expect(answers == ["", "", "", "", "", "E98"])
            // An hour later there are new ones.
            _ = try await fixture.service.database.run(
                sql: "update auth.mail_code set created_at = created_at - 3600000")
            #expect(try await ask(fixture).status == 200)
        }
    }

    @Test("A2: a reset answers the same for known and unknown addresses, and only known ones get a mail")
    func unknown() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            func answers(_ email: String) async throws -> [String] {
                var replies = [try await ask(fixture, for: email)]
                for _ in 1...6 { replies.append(try await reset(fixture, "123456x", of: email)) }
                for _ in 1...5 { replies.append(try await ask(fixture, for: email)) }
                return replies.map { "\($0.status) \($0.textForAll)" }
            }
            #expect(try await answers("a@b.kr") == answers("nobody@b.kr"))
            try await eventually("an empty outbox") {
                try await fixture.service.database.run(sql: "select count(*) from auth.mail") == "0\n"
            }
            #expect(Set(fixture.providers.mail.sent.flatMap(\.recipients)) == ["a@b.kr"])
        }
    }

    @Test("A19: the database holds nothing that reveals a code")
    func stored() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            fixture.providers.mail.refuse(with: 451)
            _ = try await ask(fixture)
            try await eventually("the first attempt") { fixture.providers.mail.asked >= 1 }
            let rows = try await fixture.service.database.run(
                sql: "select row_to_json(m) from auth.mail m union all select row_to_json(c) from auth.mail_code c")
            _ = try await fixture.service.database.run(sql: "update auth.mail set due_at = 0")
            try await eventually("the mail") {
                _ = try await fixture.service.database.run(sql: "update auth.mail set due_at = 0")
                return fixture.providers.mail.sent.count == 1
            }
            let code = try await fixture.code(to: "a@b.kr")
            #expect(rows.contains("seed") && !rows.contains(code))
        }
    }

    @Test("A3: codes that another account sends to an address do not keep its owner from a reset")
    func ofOthers() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            let other = try await fixture.join("other@b.kr")
            for _ in 1...5 {
                let sent = try await fixture.service.call(
                    "POST", Self.verification, token: other.access, json: #"{"email":"a@b.kr"}"#)
                #expect(sent.status == 200)
            }
            #expect(try await ask(fixture).status == 200)
            let code = try await fixture.code(to: "a@b.kr", about: "재설정 인증번호")
            #expect(try await reset(fixture, code).status == 200)
        }
    }

    @Test("A19: a code that lives longer than an hour is not deleted before its end")
    func longLifetime() async throws {
        try await AuthFixture.run(["code_lifetime": "2h"]) { fixture async throws in
            _ = try await fixture.join()
            _ = try await ask(fixture)
            let code = try await fixture.code(to: "a@b.kr")
            try await fixture.service.database.run(
                sql: """
                    update auth.mail_code set created_at = created_at - 3700000, expires_at = expires_at - 3700000;
                    insert into auth.mail_code (purpose, address, seed, created_at, expires_at)
                    values ('reset', 'old', '', 1, 1)
                    """)
            // An instance removes old codes at its start.
            try await fixture.withInstance { _ in
                try await eventually("the end of the old code") {
                    try await fixture.service.database.run(
                        sql: "select count(*) from auth.mail_code where address = 'old'") == "0\n"
                }
            }
            #expect(try await reset(fixture, code).status == 200)
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
