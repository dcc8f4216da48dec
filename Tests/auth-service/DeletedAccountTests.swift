import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Deleted accounts")
struct DeletedAccountTests {
    private func delete(_ fixture: AuthFixture, _ user: AuthFixture.TestUser) async throws {
        let reply = try await fixture.service.call(
            "DELETE", "/v1/users/me", token: user.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test("D1: no service acts in the name of a deleted account: it counts as a disabled one")
    func disabled() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("b@b.kr"))
            try await delete(fixture, user)
            let ids = #"{"ids":["\#(user.id)","\#(other.id)"]}"#
            let reply = try await fixture.service.internalCall("POST", "/internal/disabled", json: ids)
            #expect(try reply.json["ids"]?.elements?.compactMap(\.string) == [user.id])
        }
    }

    @Test("D1: an erasure does not wait for the provider of other accounts")
    func slowProvider() async throws {
        let settings = ["kakao_admin_key": KakaoStandin.adminKey, "provider_deadline": "5s"]
        try await AuthFixture.run(settings) { fixture async throws in
            var linked: [AuthFixture.TestUser] = []
            for number in 1...8 {
                let user = try await fixture.join("k\(number)@b.kr")
                _ = try await fixture.service.database.run(
                    sql: """
                        insert into auth.identity (provider, subject, account, created_at)
                        values ('kakao', '\(number)', \(user.id), 1), ('kakao', '\(number + 100)', \(user.id), 1)
                        """)
                linked.append(user)
            }
            let other = try await fixture.join()
            // Longer than the time limit of a call.
            fixture.providers.behaviors.set(StandinBehaviors.Behavior(delay: .seconds(6)), of: .kakao)
            // None begins before all are there, and their first pause is over.
            let database = fixture.service.database
            try await database.run(
                sql: """
                    create function auth.wait() returns trigger language plpgsql as
                    'begin new.due_at = new.due_at + 3600000; return new; end';
                    create trigger wait before insert on auth.erasure for each row execute function auth.wait()
                    """)
            for user in linked { try await delete(fixture, user) }
            try await delete(fixture, other)
            try await database.run(
                sql: "update auth.erasure set due_at = (select max(requested_at) + 2000 from auth.erasure)")
            @Sendable func facts() async throws -> [String] {
                try await fixture.service.redis.command("XRANGE", "facts:auth", "-", "+")
            }
            func fact(_ user: AuthFixture.TestUser) -> String {
                #"{"user_id":"\#(user.id)","round":1,"messages":false}"#
            }
            let wanted = fact(other)
            try await eventually(within: .seconds(120), "the fact") { try await facts().contains(wanted) }
            // One after the other, the others' calls would have come first.
            let told = try await facts()
            let place = try #require(told.firstIndex(of: wanted))
            for user in linked { #expect(!told[..<place].contains(fact(user)), "\(user.id)") }
        }
    }
}
