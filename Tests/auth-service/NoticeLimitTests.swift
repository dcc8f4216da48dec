import ServiceSupport
import TestSupport
import Testing

@testable import auth_service
@testable import standins

@Suite("Limits of notices")
struct NoticeLimitTests {
    private func signIn(_ fixture: AuthFixture, on agent: String) async throws {
        let reply = try await fixture.service.call(
            "POST", "/v1/users/login", headers: [("User-Agent", agent), ("Content-Type", "application/json")],
            body: Array(#"{"email":"a@b.kr","password":"\#(AuthFixture.password)"}"#.utf8))
        #expect(reply.status == 200)
    }

    /// Notes each mail that is ordered, because the delivery deletes it.
    private func noteOrders(_ fixture: AuthFixture) async throws {
        _ = try await fixture.service.database.run(
            sql: """
                create table auth.ordered (template text);
                create function auth.note() returns trigger language plpgsql security definer as
                'begin insert into auth.ordered values (new.template); return new; end';
                create trigger note after insert on auth.mail for each row execute function auth.note()
                """)
    }

    private func ordered(_ fixture: AuthFixture) async throws -> [String] {
        try await fixture.service.database.run(sql: "select template from auth.ordered")
            .split(separator: "\n").map(String.init)
    }

    @Test("An address that nobody has verified gets at most twenty notices in a day, however many accounts it has had")
    func unproved() async throws {
        try await AuthFixture.run { fixture async throws in
            let database = fixture.service.database
            try await noteOrders(fixture)
            func ordered() async throws -> [String] { try await self.ordered(fixture) }
            func delete(_ user: AuthFixture.TestUser) async throws {
                let reply = try await fixture.service.call(
                    "DELETE", "/v1/users/me", token: user.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
                #expect(reply.status == 200)
            }
            try await delete(try await fixture.join())
            let user = try await fixture.join()
            try await signIn(fixture, on: "another phone")
            #expect(try await ordered() == ["account_deleted", "new_device"])
            // Eighteen more.
            let count = "select count(*), count(distinct address), max(address) like '%@%' from auth.mail_notice"
            #expect(try await database.run(sql: count) == "2|1|f\n")
            _ = try await database.run(
                sql: """
                    insert into auth.mail_notice
                    select address, sent_at from (select * from auth.mail_notice limit 1) as one, generate_series(1, 18)
                    """)
            try await signIn(fixture, on: "a third phone")
            try await delete(user)
            let third = try await fixture.join()
            #expect(try await ordered().count == 2)
            // A verified address gets all, and any other one after a day.
            _ = try await database.run(sql: "update auth.account set is_email_verified = true where id = \(third.id)")
            try await signIn(fixture, on: "a fourth phone")
            #expect(try await ordered().count == 3)
            _ = try await database.run(
                sql: """
                    update auth.account set is_email_verified = false where id = \(third.id);
                    update auth.mail_notice set sent_at = sent_at - 86400000
                    """)
            try await delete(third)
            #expect(try await ordered().count == 4)
        }
    }

    @Test("Notices that others cause leave room for those about the safety of an account with an unverified address")
    func caused() async throws {
        try await AuthFixture.run { fixture async throws in
            try await noteOrders(fixture)
            let user = try await fixture.join()
            for number in 1...20 {
                let order = try await fixture.service.internalCall(
                    "POST", "/internal/notices",
                    json: #"{"user_id":"\#(user.id)","kind":"webhook_off","detail":"a.kr","key":"k\#(number)"}"#)
                #expect(order.status == 200, "\(order.text)")
            }
            #expect(try await ordered(fixture) == Array(repeating: "webhook_off", count: 10))
            try await signIn(fixture, on: "another phone")
            #expect(try await ordered(fixture).suffix(1) == ["new_device"])
            // A verified address gets all.
            _ = try await fixture.service.database.run(sql: "update auth.account set is_email_verified = true")
            let order = try await fixture.service.internalCall(
                "POST", "/internal/notices",
                json: #"{"user_id":"\#(user.id)","kind":"webhook_off","detail":"a.kr","key":"one more"}"#)
            #expect(order.status == 200, "\(order.text)")
            #expect(try await ordered(fixture).count == 12)
        }
    }

    @Test("The repeated order of a notice that waits does not count")
    func repeated() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let database = fixture.service.database
            _ = try await database.run(
                sql: """
                    insert into auth.mail (account, recipient, template, detail, created_at, due_at, expires_at, key)
                        values (\(user.id), 'a@b.kr', 'webhook_off', 'a.kr', 1, 9000000000000000, 9000000000000000, 'k')
                    """)
            let order = try await fixture.service.internalCall(
                "POST", "/internal/notices",
                json: #"{"user_id":"\#(user.id)","kind":"webhook_off","detail":"a.kr","key":"k"}"#)
            #expect(order.status == 200, "\(order.text)")
            #expect(try await database.run(sql: "select count(*) from auth.mail_notice") == "0\n")
        }
    }
}
