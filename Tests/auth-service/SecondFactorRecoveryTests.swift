import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Recovery codes, remembered devices and other apps with second factors")
struct SecondFactorRecoveryTests {
    private let factor = SecondFactorFixture()

    @Test("A20: each recovery code works once and is stored as a hash; its use is reported by mail")
    func recovery() async throws {
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            #expect(account.codes.count == 10 && account.codes.allSatisfy { $0.count == 11 })
            let code = account.codes[3].lowercased()
            #expect(try await factor.redeem(fixture, try await factor.ticket(fixture), code).status == 200)
            _ = try await fixture.mail(to: "a@b.kr", about: "복구 코드를 사용했습니다")
            #expect(try await factor.redeem(fixture, try await factor.ticket(fixture), code).errorCode == "E11")
            let stored = try await fixture.service.database.run(sql: "select * from auth.recovery_code")
            #expect(!account.codes.contains { stored.contains($0) || stored.contains($0.replacing("-", with: "")) })
            let state = try await fixture.service.call("GET", SecondFactorFixture.path, token: account.user.access)
            #expect(try state.json["recoveryCodes"]?.int == 9)
            let renewed = try await fixture.service.call(
                "POST", SecondFactorFixture.path + "/recovery-codes", token: account.user.access,
                json: #"{"code":"\#(account.code())"}"#)
            #expect(try renewed.json["recoveryCodes"]?.elements.map(Array.init)?.count == 10)
            #expect(
                try await factor.redeem(fixture, try await factor.ticket(fixture), account.codes[4]).errorCode == "E11")
        }
    }

    @Test("A20: a remembered device needs no code, another one does, and turning it off forgets them")
    func remembered() async throws {
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            let reply = try await factor.redeem(
                fixture, try await factor.ticket(fixture), account.code(), more: #","remember":true"#)
            let token = try #require(try reply.json["token"]?["rememberToken"]?.string)
            func logIn(_ token: String, as email: String = "a@b.kr") async throws -> HTTPCall.Reply {
                try await fixture.service.call(
                    "POST", "/v1/users/login",
                    json: #"{"email":"\#(email)","password":"\#(AuthFixture.password)","rememberToken":"\#(token)"}"#)
            }
            #expect(try await logIn(token).status == 200)
            #expect(try await logIn((token.hasPrefix("x") ? "y" : "x") + token.dropFirst()).errorCode == "E07")
            // A token of another account.
            _ = try await factor.protect(fixture, "b@b.kr")
            #expect(try await logIn(token, as: "b@b.kr").errorCode == "E07")
            _ = try await factor.sql(fixture, "update auth.remembered_device set expires_at = 1")
            #expect(try await logIn(token).errorCode == "E07")
            try await factor.forgetSteps(fixture)
            // In a browser the token is in a cookie.
            let browser = try await fixture.service.call(
                "POST", "/v1/users/login/second-factor?refresh=cookie",
                json: #"{"ticket":"\#(try await factor.ticket(fixture))","code":"\#(account.code())","remember":true}"#)
            #expect(try browser.json["token"]?["rememberToken"] == nil)
            let cookies = try #require(browser.headers["set-cookie"]).split(separator: ", ")
            let cookie = try #require(cookies.last { $0.hasPrefix("maru_remember=") })
            #expect(
                cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict")
                    && cookie.contains("Path=/v1/users/login"))
            let body = #"{"email":"a@b.kr","password":"\#(AuthFixture.password)"}"#
            let again = try await fixture.service.call(
                "POST", "/v1/users/login?refresh=cookie",
                headers: [("Content-Type", "application/json"), ("Cookie", String(cookie.prefix { $0 != ";" }))],
                body: Array(body.utf8))
            #expect(again.status == 200, "\(again.text)")
            try await factor.forgetSteps(fixture)
            let off = try await fixture.service.call(
                "DELETE", SecondFactorFixture.path, token: account.user.access,
                json: #"{"password":"\#(AuthFixture.password)","code":"\#(account.code())"}"#)
            #expect(off.status == 200, "\(off.text)")
            _ = try await fixture.mail(to: "a@b.kr", about: "2단계 로그인을 껐습니다")
            #expect(try await fixture.logIn().id == account.user.id)
            #expect(
                try await factor.sql(
                    fixture, "select count(*) from auth.remembered_device where account = \(account.user.id)")
                    == "0")
        }
    }

    @Test(
        "A20: apps without a second step, and sign-ins with a provider, are no way around it",
        arguments: ["sooda", "collatalk"])
    func otherApps(key: String) async throws {
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            #expect(try await fixture.logInReply(key: key).errorCode == "E03")
            _ = try await factor.sql(
                fixture,
                "insert into auth.identity (provider, subject, account, created_at) values ('kakao', '7', \(account.user.id), 1)"
            )
            #expect(try await fixture.kakao("kakao-7").errorCode == "E07")
            #expect(
                try await factor.sql(fixture, "select count(*) from auth.session where account = \(account.user.id)")
                    == "1")
        }
    }

    @Test("A20: a reset turns off a second factor that is older than the first proof of the address, and no other one")
    func firstProof() async throws {
        try await AuthFixture.run { fixture async throws in
            let password = "Haetnim-77!"
            func reset(_ email: String) async throws {
                let path = "/v1/users/password/reset"
                #expect(try await fixture.service.call("POST", path, json: #"{"email":"\#(email)"}"#).status == 200)
                let code = try await fixture.code(to: email, about: "재설정 인증번호")
                let reply = try await fixture.service.call(
                    "PUT", path, json: #"{"email":"\#(email)","code":"\#(code)","password":"\#(password)"}"#)
                #expect(reply.status == 200, "\(reply.text)")
            }
            // A stranger has joined with the address of the owner.
            let stranger = try await factor.protect(fixture)
            try await reset("a@b.kr")
            #expect(try await fixture.me(stranger.user.access).errorCode == "E05")
            #expect(try await fixture.logInReply(password: password).status == 200)
            _ = try await fixture.mail(to: "a@b.kr", about: "2단계 로그인을 껐습니다")
            #expect(try await factor.sql(fixture, "select second_factor_version from auth.account") == "2")
            #expect(try await factor.sql(fixture, "select count(*) from auth.recovery_code") == "0")
            // The address of this one was verified.
            _ = try await factor.protect(fixture, "b@b.kr")
            _ = try await factor.sql(fixture, "update auth.account set is_email_verified = true where email = 'b@b.kr'")
            try await reset("b@b.kr")
            #expect(try await fixture.logInReply("b@b.kr", password: password).errorCode == "E07")
            // A stranger's secret that waits for its first code goes too, and nobody is told.
            let third = try await fixture.join("c@b.kr")
            let begin = try await fixture.service.call(
                "POST", SecondFactorFixture.path, token: third.access,
                json: #"{"password":"\#(AuthFixture.password)"}"#)
            #expect(begin.status == 200, "\(begin.text)")
            try await reset("c@b.kr")
            let left = "select a.email from auth.second_factor f join auth.account a on a.id = f.account"
            #expect(try await factor.sql(fixture, left) == "b@b.kr")
            let told = "select second_factor_version from auth.account where email = 'c@b.kr'"
            #expect(try await factor.sql(fixture, told) == "0")
        }
    }

    @Test("A20: a new password forgets the remembered devices")
    func rememberedUntilNewPassword() async throws {
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            let reply = try await factor.redeem(
                fixture, try await factor.ticket(fixture), account.code(), more: #","remember":true"#)
            let token = try #require(try reply.json["token"]?["rememberToken"]?.string)
            let changed = try await fixture.service.call(
                "PUT", "/v1/users/me/password", token: account.user.access,
                json: #"{"password":"\#(AuthFixture.password)","newPassword":"Haetnim-77!"}"#)
            #expect(changed.status == 200)
            let login = try await fixture.service.call(
                "POST", "/v1/users/login",
                json: #"{"email":"a@b.kr","password":"Haetnim-77!","rememberToken":"\#(token)"}"#)
            #expect(login.errorCode == "E07")
        }
    }
}
