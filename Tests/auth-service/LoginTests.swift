import ServiceSupport
import TestSupport
import Testing

@testable import auth_service

@Suite("Logging in")
struct LoginTests {
    @Test("A wrong password, an unknown email and a malformed email get the same reply")
    func alike() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            let wrong = try await fixture.logInReply(password: "Wr0ng-password")
            #expect(wrong.errorCode == "E03")
            #expect(wrong.status == 401)
            for email in ["nobody@b.kr", "no email", ""] {
                let reply = try await fixture.logInReply(email)
                #expect(reply.status == wrong.status)
                #expect(reply.textForAll == wrong.textForAll)
            }
        }
    }

    @Test("A login to an account without a password gets the reply of a wrong password")
    func social() async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await fixture.kakao("kakao-7-k@b.kr").status == 200)
            #expect(try await fixture.logInReply("k@b.kr").errorCode == "E03")
        }
    }

    @Test("Emails are compared without ASCII case and in one normal form")
    func caseless() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join("Jos\u{E9}@B.kr")
            #expect(try await fixture.logIn("jose\u{301}@b.KR").id == user.id)
            let other = try await fixture.service.call(
                "POST", "/v1/users/validation/email", json: #"{"email":"JOSÉ@b.kr"}"#)
            #expect(other.status == 200)
        }
    }

    @Test("After a start, an account with a key folded by an older version is found by its exact address")
    func recomputedKeys() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join("u@stra\u{DF}e.de")
            _ = try await fixture.service.database.run(
                sql: "update auth.account set email_key = 'u@strasse.de', is_key_exact = false")
            #expect(try await fixture.logInReply("u@stra\u{DF}e.de").errorCode == "E03")
            try await fixture.withInstance { _ in }
            #expect(try await fixture.logIn("u@stra\u{DF}e.de").id == user.id)
            #expect(try await fixture.logInReply("u@strasse.de").errorCode == "E03")
        }
    }

    @Test("Guesses are delayed with E98 and Retry-After, but not the owner's login from a known address")
    func backoff() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            func logIn(_ password: String, from address: String) async throws -> (code: String, retryAfter: String?) {
                let reply = try await fixture.service.call(
                    "POST", "/v1/users/login",
                    headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
                    body: Array(#"{"email":"a@b.kr","password":"\#(password)"}"#.utf8))
                return (reply.errorCode, reply.headers["retry-after"])
            }
            #expect(try await logIn(AuthFixture.password, from: "198.51.100.1").code == "")
            var last = (code: "", retryAfter: String?.none)
            for _ in 1...12 where last.code != "E98" { last = try await logIn("Wr0ng-one", from: "192.0.2.1") }
            #expect(last.code == "E98")
            #expect(try #require(last.retryAfter.flatMap { Int($0) }) >= 1)
            #expect(try await logIn(AuthFixture.password, from: "198.51.100.1").code == "")
        }
    }

    @Test("The socket cookie is HttpOnly, lives as long as the session and is accepted by no route")
    func cookie() async throws {
        try await AuthFixture.run { fixture async throws in
            let joined = try await fixture.join()
            let loggedIn = try await fixture.logIn()
            let refreshed = try await fixture.refresh(joined.refresh)
            for cookie in [joined.cookie, loggedIn.cookie, refreshed.headers["set-cookie"] ?? ""] {
                #expect(cookie.hasPrefix("maru_socket="))
                for attribute in ["Path=/", "HttpOnly", "SameSite=Lax"] { #expect(cookie.contains("; " + attribute)) }
                #expect(!cookie.contains("Secure"))
                let age = cookie.split(separator: "Max-Age=").last?.prefix { $0.isNumber }
                #expect((2_591_900...2_592_000).contains(Int(age ?? "") ?? 0))
            }
            let value = String(joined.cookie.dropFirst("maru_socket=".count).prefix { $0 != ";" })
            #expect(try await fixture.me(value).errorCode == "E02")
            let alone = try await fixture.service.call(
                "GET", "/v1/users/me", headers: [("Cookie", "maru_socket=\(value)")])
            #expect(alone.errorCode == "E02")
        }
    }

    @Test("The cookie is Secure if the client uses TLS, and logout clears it")
    func secureCookie() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            let reply = try await fixture.service.call(
                "POST", "/v1/users/login",
                headers: [("Content-Type", "application/json"), ("X-Forwarded-Proto", "https")],
                body: Array(#"{"email":"a@b.kr","password":"\#(AuthFixture.password)"}"#.utf8))
            #expect(reply.headers["set-cookie"]?.contains("; Secure") == true)
            let user = try fixture.user(reply)
            let out = try await fixture.service.call("GET", "/v1/users/logout", token: user.access)
            #expect(out.headers["set-cookie"]?.hasPrefix("maru_socket=; ") == true)
            #expect(out.headers["set-cookie"]?.contains("Max-Age=0") == true)
        }
    }
}
