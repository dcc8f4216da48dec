import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Bots of workspaces")
struct BotTests {
    /// Makes or renames a bot as another service does.
    private static func put(
        _ fixture: AuthFixture, key: String = "webhook-1", workspace: Int = 3, nickname: String = "빌드"
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.internalCall(
            "POST", "/internal/bots",
            json: #"{"workspace_id":"\#(workspace)","key":"\#(key)","nickname":"\#(nickname)"}"#)
    }

    private static func profile(_ fixture: AuthFixture, of user: String) async throws -> JSONValue? {
        try await fixture.service.internalCall("POST", "/internal/profiles", json: #"{"ids":["\#(user)"]}"#)
            .json["profiles"]?[0]
    }

    @Test("A key stays one bot of its workspace if it is made again, and a new nickname renames the bot")
    func keys() async throws {
        try await AuthFixture.run { fixture async throws in
            let replies = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...4 { group.addTask { try await Self.put(fixture).text } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(replies.count == 1)
            let bot = try #require(try await Self.put(fixture, nickname: "배포").json["user_id"]?.string)
            let profile = try #require(try await Self.profile(fixture, of: bot))
            #expect(profile["nickname"]?.string == "배포" && profile["bot"]?.bool == true)
            #expect(try await Self.put(fixture, workspace: 4).text != replies.first)
            #expect(try await Self.put(fixture, key: "webhook-2").text != replies.first)
            for (key, nickname) in [("", "a"), (String(repeating: "k", count: 65), "a"), ("a", ""), ("a", "\u{202E}b")]
            {
                #expect(try await Self.put(fixture, key: key, nickname: nickname).errorCode == "E11")
            }
        }
    }

    @Test("Nobody signs in to a bot, resets its password or finds it by its address")
    func signIn() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await Self.put(fixture)
            let address = try await fixture.service.database.run(sql: "select email from auth.account")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(address.hasSuffix("@bots.invalid"))
            for password in ["", "Saessak-2024!"] {
                let login = try await fixture.service.call(
                    "POST", "/v1/users/login", json: #"{"email":"\#(address)","password":"\#(password)"}"#)
                #expect(["E03", "E11"].contains(login.errorCode))
            }
            let join = try await fixture.service.call(
                "POST", "/v1/users/join",
                json: #"{"email":"\#(address)","password":"Saessak-2024!","nickname":"a"}"#)
            #expect(join.errorCode == "E12")
            let found = try await fixture.service.internalCall(
                "POST", "/internal/profiles/by-email", json: #"{"emails":["\#(address)"]}"#)
            #expect(try found.json["profiles"]?.elements?.map { $0["user_id"]?.string } == [])
            _ = try await fixture.service.call(
                "POST", "/v1/users/password/reset", json: #"{"email":"\#(address)"}"#)
            try await eventually("an empty outbox") {
                try await fixture.service.database.run(sql: "select count(*) from auth.mail") == "0\n"
            }
            #expect(fixture.providers.mail.sent.isEmpty)
            // Not even the code that was ordered, which a stranger may guess, sets a password.
            let text = try await fixture.service.database.run(sql: "select encode(seed, 'hex') from auth.mail_code")
            let seed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let bytes = Hexadecimal.decode(seed.utf8.span)
            let code = CodeGenerator(credential: ServiceUnderTest.credential).code(
                of: CodeSeed(.reset, address: address, account: nil, bytes: try #require(bytes)))
            let reset = try await fixture.service.call(
                "PUT", "/v1/users/password/reset",
                json: #"{"email":"\#(address)","code":"\#(code)","password":"Haetnim-77!"}"#)
            #expect(reset.errorCode == "E11", "\(reset.text)")
        }
    }

    @Test("The bots of a deleted workspace lose their names, and no new ones are made under their keys")
    func deletedWorkspace() async throws {
        try await AuthFixture.run { fixture async throws in
            let bot = try #require(try await Self.put(fixture).json["user_id"]?.string)
            let other = try #require(try await Self.put(fixture, workspace: 4).json["user_id"]?.string)
            try await fixture.service.redis.command(
                "XADD", "facts:workspace", "*", "id", "1", "type", "workspace.deleted", "body",
                #"{"workspace_id":"3","version":2}"#)
            try await eventually("the end of the bot") {
                try await Self.profile(fixture, of: bot)?["nickname"]?.string == "(삭제된 봇)"
            }
            #expect(try await Self.profile(fixture, of: other)?["nickname"]?.string == "빌드")
            #expect(try await Self.put(fixture).errorCode == "E13")
        }
    }

    @Test("A bot that has left its workspace has no tokens, and other accounts keep theirs")
    func removal() async throws {
        try await AuthFixture.run { fixture async throws in
            let bot = try #require(try await Self.put(fixture).json["user_id"]?.string)
            let other = try #require(try await Self.put(fixture, workspace: 4).json["user_id"]?.string)
            for (user, workspace, digit) in [(bot, 3, "a"), (other, 4, "b")] {
                let hash = String(repeating: digit, count: 64)
                let made = try await fixture.service.internalCall(
                    "POST", "/internal/bots/\(user)/tokens",
                    json: #"""
                        {"workspace_id":"\#(workspace)","maker":"1","name":"n","scopes":["read"],"profile":"native",\#
                        "hash":"\#(hash)","prefix":"p"}
                        """#)
                #expect(made.status == 200, "\(made.text)")
            }
            @Sendable func identity(_ digit: String) async throws -> Int {
                let hash = String(repeating: digit, count: 64)
                return try await fixture.service.internalCall(
                    "POST", "/internal/bots/identity", json: #"{"hash":"\#(hash)"}"#
                ).status
            }
            #expect(try await identity("a") == 200)
            // The other bot has left a workspace that is not its own.
            for (id, user) in [(1, other), (2, bot)] {
                try await fixture.service.redis.command(
                    "XADD", "facts:workspace", "*", "id", "\(id)", "type", "workspace.member.removed", "body",
                    #"{"workspace_id":"3","user_id":"\#(user)","version":\#(id + 1)}"#)
            }
            try await eventually("the end of the token") { try await identity("a") == 404 }
            #expect(try await identity("b") == 200)
            let revoked = try await fixture.service.database.run(
                sql: "select count(*) from auth.session where revoked_at is not null")
            #expect(revoked == "1\n")
        }
    }

    @Test("Concurrent calls make no more tokens of a bot than the limit")
    func tokenLimit() async throws {
        try await AuthFixture.run(["database_connections": "6"]) { fixture async throws in
            let bot = try #require(try await Self.put(fixture).json["user_id"]?.string)
            // All calls wait for the bot.
            let codes = try await fixture.service.database.holding(
                "select from auth.account where id = \(bot) for update", untilWaiting: 4
            ) {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for digit in ["a", "b", "c", "d"] {
                        group.addTask {
                            let hash = String(repeating: digit, count: 64)
                            return try await fixture.service.internalCall(
                                "POST", "/internal/bots/\(bot)/tokens",
                                json: #"""
                                    {"workspace_id":"3","maker":"1","name":"n","scopes":["read"],"profile":"native",\#
                                    "hash":"\#(hash)","prefix":"p","limit":2}
                                    """#
                            ).errorCode
                        }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
            }
            #expect(codes.sorted() == ["", "", "E11", "E11"])
            let made = try await fixture.service.database.run(sql: "select count(*) from auth.bot_token")
            #expect(made == "2\n")
        }
    }

    @Test("The maker of a webhook that was switched off gets a mail")
    func notices() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join("maker@b.kr")
            let sent = try await fixture.service.internalCall(
                "POST", "/internal/notices",
                json: #"{"user_id":"\#(user.id)","kind":"webhook_off","detail":"hooks.example"}"#)
            #expect(sent.status == 200)
            let mail = try await fixture.mail(to: "maker@b.kr", about: "웹훅")
            #expect(mail.text.contains("hooks.example"))
            let other = try await fixture.service.internalCall(
                "POST", "/internal/notices", json: #"{"user_id":"\#(user.id)","kind":"other","detail":""}"#)
            #expect(other.errorCode == "E11")
        }
    }
}
