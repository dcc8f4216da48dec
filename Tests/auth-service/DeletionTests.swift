import Crypto
import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Deletion of accounts")
struct DeletionTests {
    private static let parts = ["chat", "payment", "realtime", "workspace"]

    private func delete(
        _ fixture: AuthFixture, _ user: AuthFixture.TestUser, _ json: String? = nil
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            "DELETE", "/v1/users/me", token: user.access, json: json ?? #"{"password":"\#(AuthFixture.password)"}"#)
    }

    private func state(_ fixture: AuthFixture, _ user: AuthFixture.TestUser) async throws -> JSONValue {
        try await fixture.service.internalCall("GET", "/internal/erasures/\(user.id)").json
    }

    /// Reports the parts of all services, as they do at the end of a round.
    private func acknowledge(_ fixture: AuthFixture, _ user: AuthFixture.TestUser, round: Int = 1) async throws {
        for part in Self.parts {
            let reply = try await fixture.service.internalCall(
                "POST", "/internal/erasures/\(user.id)/\(part)", json: #"{"round":\#(round)}"#)
            #expect(reply.status == 200)
        }
    }

    private func sql(_ fixture: AuthFixture, _ statement: String) async throws -> String {
        String(try await fixture.service.database.run(sql: statement).prefix { $0 != "\n" })
    }

    /// The facts, without those that were published again because they were marked too late.
    private func facts(_ fixture: AuthFixture) async throws -> [String] {
        let entries = try await fixture.service.redis.command("XRANGE", "facts:auth", "-", "+")
        // The id stands before the type, and the body after it.
        let facts = entries.indices.filter { entries[$0] == "user.deleted" }.map { [entries[$0 - 2], entries[$0 + 2]] }
        return facts.withoutRepeats.map { $0[1] }
    }

    @Test("D1: an account can be deleted although another one has the address that its row gets")
    func foreseen() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            _ = try await fixture.join("deleted-\(user.id)@deleted.invalid")
            #expect(try await delete(fixture, user).status == 200)
        }
    }

    @Test("D1: a deleted account is unusable at once, and its profile names nobody")
    func unusable() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.logIn())
            #expect(try await delete(fixture, user, #"{"password":"Wrong-word-1"}"#).errorCode == "E03")
            #expect(try await fixture.me(other.access).status == 200)
            #expect(try await delete(fixture, user).status == 200)
            for session in [user, other] {
                #expect(try await fixture.me(session.access).errorCode == "E05")
                #expect(try await fixture.refresh(session.refresh).errorCode != "")
            }
            #expect(try await fixture.logInReply().errorCode == "E03")
            let profile = try await fixture.service.internalCall(
                "POST", "/internal/profiles", json: #"{"ids":["\#(user.id)"]}"#)
            #expect(profile.text.contains("탈퇴한 사용자") && !profile.text.contains("a@b.kr"))
            let byEmail = try await fixture.service.internalCall(
                "POST", "/internal/profiles/by-email", json: #"{"emails":["a@b.kr"]}"#)
            #expect(byEmail.text == #"{"profiles":[]}"#)
            _ = try await fixture.mail(to: "a@b.kr", about: "계정을 삭제했습니다")
            // The address is free again, for another account.
            #expect(try await fixture.join().id != user.id)
        }
    }

    @Test("D1: an owner of workspaces with other members is told which ones, and keeps the account")
    func owner() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            fixture.peers.setSharedWorkspaces(["3", "7"])
            let reply = try await delete(fixture, user)
            #expect(reply.status == 409 && reply.errorCode == "E15")
            #expect(try reply.json["workspaces"]?.elements?.compactMap(\.string) == ["3", "7"])
            #expect(try await fixture.me(user.access).status == 200)
            fixture.peers.setSharedWorkspaces([])
            #expect(try await delete(fixture, user).status == 200)
        }
    }

    @Test("D1: services are told until each has reported, through restarts; a last round follows")
    func durable() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            _ = try await sql(fixture, "update auth.account set is_email_verified = true")
            #expect(
                try await delete(fixture, user, #"{"password":"\#(AuthFixture.password)","messages":"delete"}"#).status
                    == 200)
            #expect(try await state(fixture, user)["waiting"]?.elements?.compactMap(\.string) == Self.parts)
            #expect(try await state(fixture, user)["addresses"]?.elements?.compactMap(\.string) == ["a@b.kr"])
            let first = #"{"user_id":"\#(user.id)","round":1,"messages":true}"#
            // A machine that stands still gives the services no time for an answer, so they are told again.
            try await eventually("the fact") { try await Set(facts(fixture)) == [first] }
            // The time for an answer is over, and another instance goes on.
            try await fixture.withInstance { _ in
                try await eventually("the second fact") {
                    _ = try await sql(fixture, "update auth.erasure set due_at = 0 where attempts < 2")
                    return try await facts(fixture).count >= 2
                }
            }
            for round in 1...2 {
                let fact = #"{"user_id":"\#(user.id)","round":\#(round),"messages":true}"#
                try await eventually("round \(round)") {
                    _ = try await sql(
                        fixture, "update auth.erasure set due_at = 0, requested_at = 0 where attempts = 0")
                    return try await facts(fixture).contains(fact)
                }
                try await acknowledge(fixture, user, round: round)
            }
            try await eventually("the end of the erasure") { try await state(fixture, user)["erased_at"] != nil }
            #expect(try await state(fixture, user)["waiting"]?.elements?.map { $0 }.isEmpty == true)
            #expect(try await sql(fixture, "select addresses is null from auth.erasure") == "t")
            let last = #"{"user_id":"\#(user.id)","round":3,"messages":true}"#
            // On a slow machine the second round was due by itself, so that the time of the deletion is still the true one.
            try await eventually("the last round") {
                _ = try await sql(
                    fixture, "update auth.erasure set due_at = 0, requested_at = 0 where round = 3 and attempts = 0")
                return try await facts(fixture).contains(last)
            }
            try await acknowledge(fixture, user, round: 3)
            try await eventually("the end") {
                try await sql(fixture, "select finished_at is not null from auth.erasure") == "t"
            }
            let unknown = try await fixture.service.internalCall("GET", "/internal/erasures/999999")
            #expect(unknown.status == 404)
        }
    }

    @Test("D1: a fresh token of the linked provider confirms a deletion, and grants are revoked")
    func providers() async throws {
        let folder = TemporaryFolder("maru-key")
        let key = folder.path + "/key.pem"
        try SigningKey.generate().pem.write(toFile: key, atomically: true, encoding: .utf8)
        try await AuthFixture.run([
            "kakao_admin_key": KakaoStandin.adminKey, "apple_team_id": "TEAM", "apple_key_id": "KEY",
            "apple_private_key_file": key,
        ]) { fixture async throws in
            let kakao = try fixture.user(try await fixture.kakao("kakao-7"))
            let other = try fixture.user(try await fixture.kakao("kakao-8"))
            let refused = try await delete(fixture, other, #"{"oauthToken":"kakao-7"}"#)
            #expect(refused.errorCode == "E03")
            #expect(try await delete(fixture, kakao, #"{"oauthToken":"kakao-7"}"#).status == 200)
            let apple = try fixture.user(try await fixture.apple("sub=1&email=a@b.kr"))
            let token = try fixture.providers.apple.token(try #require(QueryParameters("sub=1&email=a@b.kr")))
            let reply = try await delete(fixture, apple, #"{"idToken":"\#(token)","authorizationCode":"code-1"}"#)
            #expect(reply.status == 200)
            try await eventually("the revocations") {
                fixture.providers.kakao.unlinked == [7] && fixture.providers.apple.revoked == ["refresh-1"]
            }
            // The next sign-in makes another account.
            #expect(try fixture.user(try await fixture.kakao("kakao-7")).id != kakao.id)
        }
    }

    @Test("D1: a provider that fails is asked again, and an account with a password is unlinked with the admin key")
    func failingProvider() async throws {
        try await AuthFixture.run(["kakao_admin_key": KakaoStandin.adminKey]) { fixture async throws in
            let user = try await fixture.join()
            _ = try await sql(
                fixture,
                "insert into auth.identity (provider, subject, account, created_at) values ('kakao', '9', \(user.id), 1)"
            )
            fixture.providers.behaviors.set(StandinBehaviors.Behavior(answer: .refuse), of: .kakao)
            #expect(try await delete(fixture, user).status == 200)
            try await eventually("the first attempt") {
                try await sql(fixture, "select attempts > 0 from auth.erasure") == "t"
            }
            fixture.providers.behaviors.set(StandinBehaviors.Behavior(), of: .kakao)
            try await eventually("the revocation") {
                _ = try await sql(fixture, "update auth.erasure set due_at = 0")
                return fixture.providers.kakao.unlinked == [9]
            }
        }
    }

    @Test("D4: every table has an answer to deletion and export; the export has the planted rows, and none is left")
    func everyTable() async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await ErasureAnswers.ofAuth.unanswered(in: fixture.service.database) == [])
            let (user, other) = (try await fixture.join(device: "d1"), try await fixture.join("b@b.kr"))
            let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            for number in UInt8(1)...2 { _ = try await fixture.upload(png + [number], user.access) }
            let portraits = fixture.service.files.path + "/profiles"
            #expect(try FileManager.default.contentsOfDirectory(atPath: portraits).count >= 2)
            // The job that deletes old codes may begin late.
            let now = Timestamp.now.milliseconds
            for statement in [
                "insert into auth.identity (provider, subject, account, created_at) values ('kakao', '9', \(user.id), 1)",
                "insert into auth.block (account, blocked, created_at) values (\(user.id), \(other.id), 1), (\(other.id), \(user.id), 1)",
                """
                insert into auth.mail (account, recipient, template, created_at, due_at, expires_at)
                values (\(user.id), 'a@b.kr', 'new_device', 1, 9000000000000000, 9000000000000000)
                """,
                """
                insert into auth.mail_code (purpose, address, account, seed, created_at, expires_at)
                values ('reset', 'a@b.kr', null, '', \(now), 1), ('verification', 'x', \(user.id), '', \(now), 1)
                """,
                "insert into auth.oidc_identity (issuer, subject, account, created_at) values ('i', 's', \(user.id), 1)",
                "insert into auth.second_factor (account, seed, created_at) values (\(user.id), '\\x01', 1)",
                "insert into auth.recovery_code (account, digest) values (\(user.id), '\\x01')",
                """
                insert into auth.sign_in_ticket (digest, account, profile, created_at, expires_at)
                values ('\\x01', \(user.id), 'native', 1, 9000000000000000)
                """,
                """
                insert into auth.remembered_device (digest, account, created_at, expires_at)
                values ('\\x01', \(user.id), 1, 9000000000000000)
                """,
                """
                insert into auth.bot_token (account, session, hash, prefix, name, scopes, created_by, created_at)
                select account, id, '\\x01', 'p', 'n', 'read', \(user.id), 1 from auth.session where account = \(other.id)
                """,
            ] { _ = try await sql(fixture, statement) }
            let archive = try await fixture.export(user)
            let sections = archive.entries(of: .account)
            #expect(ErasureAnswers.ofAuth.sections(missingIn: sections) == [])
            // The blocks of others stay their secret.
            #expect(archive.text("account/blocks.json").contains(#""user_id" : "\#(other.id)""#))
            #expect(archive.records("account/blocks.json").count == 1)
            #expect(
                try await ErasureAnswers.ofAuth.tables(with: user.id, in: fixture.service.database)
                    == ErasureAnswers.ofAuth.erasing)
            #expect(try await delete(fixture, user).status == 200)
            #expect(try await ErasureAnswers.ofAuth.tables(with: user.id, in: fixture.service.database) == [])
            let text = try await fixture.service.database.run(
                sql: "select json_agg(a) from auth.account a where id = \(user.id)")
            #expect(!text.contains("a@b.kr") && !text.contains("새싹"))
            // The present portrait and earlier ones are gone at once, not at the next look for unused ones in a minute.
            try await eventually("the end of the portraits") {
                try FileManager.default.contentsOfDirectory(atPath: portraits).isEmpty
            }
        }
    }
}
