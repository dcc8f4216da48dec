import Foundation
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("The outbox of mails")
struct MailTests {
    /// Signs in on a device that the account was not used on, which causes a mail.
    private func signInElsewhere(
        _ fixture: AuthFixture, _ email: String = "a@b.kr", agent: String = "another phone"
    ) async throws {
        let reply = try await fixture.service.call(
            "POST", "/v1/users/login", headers: [("User-Agent", agent), ("Content-Type", "application/json")],
            body: Array(#"{"email":"\#(email)","password":"\#(AuthFixture.password)"}"#.utf8))
        #expect(reply.status == 200)
    }

    private func waiting(_ fixture: AuthFixture) async throws -> String {
        try await fixture.service.database.run(sql: "select count(*) from auth.mail").trimmed
    }

    @Test("A sign-in on a new device sends the owner a mail, one on a known device does not")
    func newDevice() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            _ = try await fixture.logIn()
            try await signInElsewhere(fixture)
            try await signInElsewhere(fixture)
            _ = try await fixture.mail(to: "a@b.kr", about: "새 기기")
            try await signInElsewhere(fixture, agent: "a third phone")
            try await eventually("the second mail") { fixture.providers.mail.sent.count == 2 }
            try await eventually("an empty outbox") { try await waiting(fixture) == "0" }
            #expect(fixture.providers.mail.sent.count == 2)
        }
    }

    @Test("If the mail about a new device could not be ordered, the next sign-in orders it")
    func newDeviceLater() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            _ = try await fixture.logIn()
            _ = try await fixture.service.database.run(
                sql: """
                    create function auth.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
                    create trigger refuse before insert on auth.mail for each row execute function auth.refuse()
                    """)
            try await signInElsewhere(fixture)
            _ = try await fixture.service.database.run(sql: "drop trigger refuse on auth.mail")
            #expect(fixture.providers.mail.sent.isEmpty)
            try await signInElsewhere(fixture)
            _ = try await fixture.mail(to: "a@b.kr", about: "새 기기")
        }
    }

    @Test("Sign-ins on ever new devices send at most ten mails in an hour")
    func manyNewDevices() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            let database = fixture.service.database
            _ = try await database.run(
                sql: """
                    create table auth.ordered (template text);
                    create function auth.note() returns trigger language plpgsql security definer as
                    'begin insert into auth.ordered values (new.template); return new; end';
                    create trigger note after insert on auth.mail for each row execute function auth.note()
                    """)
            for number in 1...12 { try await signInElsewhere(fixture, agent: "phone \(number)") }
            #expect(try await database.run(sql: "select count(*) from auth.ordered").trimmed == "10")
            // An hour later they are told again.
            _ = try await database.run(sql: "update auth.known_device set seen_at = seen_at - 3600000")
            try await signInElsewhere(fixture, agent: "a later phone")
            #expect(try await database.run(sql: "select count(*) from auth.ordered").trimmed == "11")
        }
    }

    @Test("Mails have the account's language, which joins take from the app and the profile changes")
    func language() async throws {
        try await AuthFixture.run { fixture async throws in
            let joined = try await fixture.service.call(
                "POST", "/v1/users/join",
                headers: [("Accept-Language", "en-US,ko;q=0.5"), ("Content-Type", "application/json")],
                body: Array(
                    #"{"email":"a@b.kr","password":"\#(AuthFixture.password)","nickname":"n"}"#.utf8))
            let user = try fixture.user(joined)
            try await signInElsewhere(fixture)
            let english = try await fixture.mail(to: "a@b.kr", about: "New sign-in")
            #expect(english.text.contains("App: native"))
            let changed = try await fixture.service.call(
                "PUT", "/v1/users/me", token: user.access, json: #"{"language":"ko"}"#)
            #expect(changed.status == 200)
            try await signInElsewhere(fixture, agent: "a third phone")
            let korean = try await fixture.mail(to: "a@b.kr", about: "새 기기")
            #expect(korean.text.contains("앱: native"))
        }
    }

    @Test("A mail that a busy server does not take is sent later, also by another instance")
    func retried() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            fixture.providers.mail.refuse(with: 451, times: 3)
            try await signInElsewhere(fixture)
            try await eventually("the first attempt") { fixture.providers.mail.asked >= 1 }
            try await eventually("the later time") {
                try await fixture.service.database.run(sql: "select attempts > 0 from auth.mail").trimmed == "t"
            }
            #expect(fixture.providers.mail.sent.isEmpty)
            // The wait is over.
            try await eventually("the second attempt") {
                _ = try await fixture.service.database.run(sql: "update auth.mail set due_at = 0")
                return fixture.providers.mail.sent.count == 1
            }
            try await eventually("an empty outbox") { try await waiting(fixture) == "0" }
        }
    }

    @Test("A bounce is noted, is final, and ends notices until the address is proved again")
    func bounced() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            fixture.providers.mail.refuse(with: 550)
            try await signInElsewhere(fixture)
            @Sendable func noted() async throws -> Bool {
                try await fixture.service.database.run(
                    sql: "select mail_bounced_at is not null from auth.account"
                ).trimmed == "t"
            }
            try await eventually("the bounce") { try await noted() }
            try await signInElsewhere(fixture, agent: "a third phone")
            #expect(try await waiting(fixture) == "0")
            #expect(fixture.providers.mail.sent.isEmpty)
            let verification = "/v1/users/email/verification"
            _ = try await fixture.service.call(
                "POST", verification, token: user.access, json: #"{"email":"a@b.kr"}"#)
            let code = try await fixture.code(to: "a@b.kr")
            let proved = try await fixture.service.call(
                "PUT", verification, token: user.access, json: #"{"email":"a@b.kr","code":"\#(code)"}"#)
            #expect(proved.status == 200)
            #expect(try await noted() == false)
        }
    }

    @Test("A mail that waited too long is given up")
    func expired() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            // It would be sent before its end if the machine stood still and the server took it.
            fixture.providers.mail.refuse(with: 451, times: 1000)
            try await signInElsewhere(fixture)
            try await eventually("an empty outbox") {
                _ = try await fixture.service.database.run(
                    sql: "update auth.mail set due_at = 0, expires_at = 1 where attempts > 0")
                return try await waiting(fixture) == "0"
            }
            #expect(fixture.providers.mail.sent.isEmpty)
        }
    }

    @Test("Without a mail server the routes that need one answer E99, sign-ins work, and the log says so once")
    func notSetUp() async throws {
        let file = LogFile()
        try await AuthFixture.run(["smtp_url": ""], log: file.log(.error, of: "auth-service")) { fixture async throws in
            let user = try await fixture.join()
            try await signInElsewhere(fixture)
            for _ in 1...2 {
                let reply = try await fixture.service.call(
                    "POST", "/v1/users/password/reset", json: #"{"email":"a@b.kr"}"#)
                #expect(reply.errorCode == "E99" && reply.status == 503)
            }
            let verification = try await fixture.service.call(
                "POST", "/v1/users/email/verification", token: user.access, json: #"{"email":"a@b.kr"}"#)
            #expect(verification.errorCode == "E99")
            #expect(try await waiting(fixture) == "0")
            let lines = try await file.text().split(separator: "\n").filter { $0.contains("mail is not set up") }
            #expect(lines.count == 1)
        }
    }

    @Test("A folder takes mails instead of a server")
    func folder() async throws {
        let folder = TemporaryFolder("maru-mail")
        try await AuthFixture.run(["smtp_url": "", "mail_folder": folder.path + "/mails"]) { fixture async throws in
            _ = try await fixture.join()
            try await signInElsewhere(fixture)
            try await eventually("an empty outbox") { try await waiting(fixture) == "0" }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/mails")
            #expect(names.count == 1 && names[0].hasSuffix(".eml"))
        }
    }

    @Test("D1: without a mail server, a deleted account leaves no mail with its address")
    func deletedWithoutMail() async throws {
        try await AuthFixture.run(["smtp_url": ""]) { fixture async throws in
            let user = try await fixture.join()
            let reply = try await fixture.service.call(
                "DELETE", "/v1/users/me", token: user.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
            #expect(reply.status == 200)
            #expect(try await fixture.service.database.run(sql: "select count(*) from auth.mail") == "0\n")
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(prefix { $0 != "\n" }) }
}
