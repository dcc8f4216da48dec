import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Second factors")
struct SecondFactorTests {
    private let factor = SecondFactorFixture()

    @Test("A20: with a second factor, a password opens no session without a code, and with one it does")
    func signIn() async throws {
        try await AuthFixture.run { fixture async throws in
            let other = try await fixture.join("b@b.kr")
            let account = try await factor.protect(fixture)
            let state = try await fixture.service.call("GET", SecondFactorFixture.path, token: account.user.access)
            #expect(state.text == #"{"enabled":true,"recoveryCodes":10}"#)
            _ = try await fixture.mail(to: "a@b.kr", about: "2단계 로그인을 켰습니다")
            let first = try await factor.ticket(fixture)
            #expect(
                try await factor.sql(fixture, "select count(*) from auth.session where account = \(account.user.id)")
                    == "1")
            #expect(try await factor.redeem(fixture, first, "000000").errorCode == "E11")
            let reply = try await factor.redeem(fixture, first, account.code())
            let session = try fixture.user(reply)
            #expect(session.id == account.user.id && session.cookie.contains("maru_socket="))
            #expect(try await fixture.me(session.access).status == 200)
            // Others sign in as before.
            #expect(try await fixture.logIn("b@b.kr").id == other.id)
            let asked = try await fixture.service.internalCall(
                "POST", "/internal/second-factors", json: #"{"ids":["\#(other.id)","\#(account.user.id)"]}"#)
            #expect(asked.text == #"{"ids":["\#(account.user.id)"]}"#)
        }
    }

    @Test("A20: turning it on needs the password and the first code, and ends the other sessions")
    func enabling() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.logIn())
            func call(_ method: String, _ json: String) async throws -> HTTPCall.Reply {
                try await fixture.service.call(method, SecondFactorFixture.path, token: user.access, json: json)
            }
            #expect(try await call("PUT", #"{"code":"000000"}"#).errorCode == "E13")
            #expect(try await call("POST", #"{"password":"Wrong-word-1"}"#).errorCode == "E03")
            #expect(try await call("POST", #"{"password":"\#(AuthFixture.password)"}"#).status == 200)
            // A secret without its first code protects nothing yet.
            #expect(try await fixture.logIn().id == user.id)
            #expect(try await call("PUT", #"{"code":"000000"}"#).errorCode == "E11")
            let stored = try await factor.sql(fixture, "select encode(seed, 'hex') from auth.second_factor")
            let decoded = Hexadecimal.decode(stored.utf8.span)
            let seed = try #require(decoded)
            let passwords = SecondFactorSecrets(key: ServiceUnderTest.credential)
                .passwords(of: try #require(UserID(user.id)), seed: seed)
            let code = passwords.code(at: TOTP.step(at: .now))
            #expect(try await call("PUT", #"{"code":"\#(code)"}"#).status == 200)
            #expect(try await fixture.me(other.access).errorCode == "E05")
            #expect(try await fixture.me(user.access).status == 200)
            #expect(try await call("POST", #"{"password":"\#(AuthFixture.password)"}"#).errorCode == "E12")
        }
    }

    @Test("A20: each change is a fact with a version, which workspaces that require a second factor act on")
    func facts() async throws {
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            let off = try await fixture.service.call(
                "DELETE", SecondFactorFixture.path, token: account.user.access,
                json: #"{"code":"\#(account.code())","password":"\#(AuthFixture.password)"}"#)
            #expect(off.status == 200, "\(off.text)")
            try await eventually("both facts") {
                let entries = try await fixture.service.redis.command("XRANGE", "facts:auth", "-", "+")
                let bodies = entries.indices.filter { entries[$0] == "second-factor.changed" }.map { entries[$0 + 2] }
                // A fact that is marked too late is published again.
                return bodies.withoutRepeats == [
                    #"{"user_id":"\#(account.user.id)","on":true,"version":1}"#,
                    #"{"user_id":"\#(account.user.id)","on":false,"version":2}"#,
                ]
            }
        }
    }

    @Test("A20: a sign-in that is under way opens no session once a second factor is turned on")
    func turnedOnMeanwhile() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            fixture.peers.whileJoining {
                _ = try await factor.sql(
                    fixture,
                    "update auth.account set second_factor_version = second_factor_version + 1 where id = \(user.id)")
            }
            #expect(try await fixture.logInReply(key: "gathering").errorCode == "E03")
            fixture.peers.whileJoining {}
            #expect(try await fixture.logInReply(key: "gathering").status == 200)
        }
    }

    @Test("A20: a code works once, even in concurrent requests")
    func replay() async throws {
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            var tickets: [String] = []
            for _ in 0..<5 { tickets.append(try await factor.ticket(fixture)) }
            let (earlier, code) = (account.code(-1), account.code())
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for ticket in tickets {
                    group.addTask { try await factor.redeem(fixture, ticket, code).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 422, 422, 422, 422])
            // Neither does an earlier one work afterwards.
            #expect(try await factor.redeem(fixture, try await factor.ticket(fixture), earlier).errorCode == "E11")
        }
    }

    @Test("A20: a ticket works once, in its app, for five tries and five minutes")
    func tickets() async throws {
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            let used = try await factor.ticket(fixture)
            #expect(try await factor.redeem(fixture, used, account.code()).status == 200)
            try await factor.forgetSteps(fixture)
            #expect(try await factor.redeem(fixture, used, account.code()).errorCode == "E02")
            #expect(try await factor.redeem(fixture, "nonsense", account.code()).errorCode == "E02")
            let tried = try await factor.ticket(fixture)
            for _ in 0..<5 { #expect(try await factor.redeem(fixture, tried, "000000").errorCode == "E11") }
            try await factor.forgetSteps(fixture)
            #expect(try await factor.redeem(fixture, tried, account.code()).errorCode == "E02")
            let old = try await factor.ticket(fixture)
            _ = try await factor.sql(fixture, "update auth.sign_in_ticket set expires_at = 1")
            #expect(try await factor.redeem(fixture, old, account.code()).errorCode == "E02")
            // A password that was changed meanwhile.
            let late = try await factor.ticket(fixture)
            _ = try await factor.sql(fixture, "update auth.account set credentials = credentials + 1")
            #expect(try await factor.redeem(fixture, late, account.code()).errorCode == "E03")
        }
    }

    @Test("A20: an account has ten tries in a quarter of an hour, over all tickets")
    func tries() async throws {
        try await AuthFixture.run { fixture async throws in
            let began = ContinuousClock.now
            let account = try await factor.protect(fixture)
            for _ in 0..<2 {
                let ticket = try await factor.ticket(fixture)
                for _ in 0..<5 { #expect(try await factor.redeem(fixture, ticket, "000000").errorCode == "E11") }
            }
            let refused = try await factor.redeem(fixture, try await factor.ticket(fixture), account.code())
            // The quarter of an hour began when the second factor was turned on.
            let passed = Int((ContinuousClock.now - began) / .seconds(1)) + 1
            let wait = Int(refused.headers["retry-after"] ?? "") ?? 0
            #expect(refused.errorCode == "E98" && (900 - passed...900).contains(wait), "\(wait)")
            _ = try await factor.sql(fixture, "update auth.second_factor set tries_since = tries_since - 900001")
            #expect(try await factor.redeem(fixture, try await factor.ticket(fixture), account.code()).status == 200)
        }
    }

    @Test("A20: an account without a second factor is mailed when its workspace requires one, one with it is not")
    func required() async throws {
        try await AuthFixture.run { fixture async throws in
            let lacking = try await fixture.join("lacking@b.kr")
            let account = try await factor.protect(fixture)
            let due = Timestamp(milliseconds: 1_893_456_000_000)
            for user in [account.user.id, lacking.id] {
                for _ in 1...2 {
                    let reply = try await fixture.service.internalCall(
                        "POST", "/internal/notices",
                        json: """
                            {"user_id":"\(user)","kind":"second_factor_required","detail":"디자인 팀","due_at":\(due.milliseconds),\
                            "key":"second-factor-3-\(user)-1"}
                            """)
                    #expect(reply.status == 200, "\(reply.text)")
                }
            }
            let mail = try await fixture.mail(to: "lacking@b.kr", about: "2단계 로그인을 요구합니다")
            #expect(mail.text.contains("\"디자인 팀\"") && mail.text.contains("2030-01-01 09:00"))
            #expect(
                try await factor.sql(
                    fixture,
                    "select count(*) from auth.mail where template = 'second_factor_required' and account = \(account.user.id)"
                )
                    == "0")
        }
    }
}
