import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Facts and hints about accounts")
struct FactTests {
    @Test("A profile change publishes a fact and a hint, both with the new version")
    func changes() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let hints = try RawConnection(port: fixture.service.redis.port)
            try hints.send("SUBSCRIBE invalidate:users\r\n")
            _ = try hints.receive(until: ":1\r\n")
            _ = try await fixture.service.call("PUT", "/v1/users/me", token: user.access, json: #"{"nickname":"n"}"#)
            _ = try await fixture.upload([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1], user.access)
            for version in 2...3 {
                let body = #"{"user_id":"\#(user.id)","version":\#(version)}"#
                _ = try hints.receive(until: body)
                try await eventually("the fact") {
                    let entries = try await fixture.service.redis.command("XRANGE", "facts:auth", "-", "+")
                    return entries.contains("user.changed") && entries.contains(body)
                }
            }
        }
    }

    @Test("A sign-in and its fact for the audit logs are committed together")
    func signIns() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            let database = fixture.service.database
            func count(_ rows: String) async throws -> String {
                String(try await database.run(sql: "select count(*) from auth.\(rows)").prefix { $0 != "\n" })
            }
            try await database.run(
                sql: """
                    create function auth.refuse() returns trigger language plpgsql as
                    'begin raise exception ''no facts''; end';
                    create trigger refuse before insert on auth.outbox for each row
                    when (new.type = 'session.opened') execute function auth.refuse()
                    """)
            #expect(try await fixture.logInReply().errorCode == "E99")
            #expect(try await count("session") == "1")
            try await database.run(sql: "drop trigger refuse on auth.outbox")
            #expect(try await fixture.logInReply().status == 200)
            #expect(try await count("session") == "2")
            #expect(try await count("outbox where type = 'session.opened'") == "2")
        }
    }

    @Test("An empty change publishes no fact")
    func unchanged() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            for body in ["{}", #"{"nickname":null}"#] {
                let reply = try await fixture.service.call("PUT", "/v1/users/me", token: user.access, json: body)
                #expect(reply.status == 200)
            }
            let version = try await fixture.service.database.run(sql: "select version from auth.account")
            #expect(version == "1\n")
        }
    }

    @Test("Coins are 0 with a warning in the log while payment-service is down, and right a second after it is back")
    func coins() async throws {
        let file = LogFile()
        try await AuthFixture.run(log: file.log(.warning, of: "auth-service")) { fixture async throws in
            let user = try await fixture.join()
            // On a busy machine a call may meet the time limit of a second, which is logged as well.
            let hasCoins = try await fixture.me(user.access).json["sesacCoin"]?.int == 40
            if hasCoins { #expect(!(try await file.text()).contains("without coins")) }
            try await eventually("the coins") { try await fixture.me(user.access).json["sesacCoin"]?.int == 40 }
            let before = try await file.text()
            fixture.peers.setCoins(nil)
            for _ in 1...5 { #expect(try await fixture.me(user.access).json["sesacCoin"]?.int == 0) }
            let warning =
                #""level":"warning","service":"auth-service","message":"profiles are sent without coins: payment-service does not answer""#
            #expect(try await file.text().dropFirst(before.count).contains(warning))
            fixture.peers.setCoins(50)
            try await eventually("the coins") {
                try await fixture.me(user.access).json["sesacCoin"]?.int == 50
            }
        }
    }

    @Test("Devices of expired sessions receive no pushes, and expired sessions are deleted")
    func expiredDevices() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join(device: "phone")
            func devices() async throws -> [String] {
                let ids = #"{"ids":["\#(user.id)"]}"#
                let reply = try await fixture.service.internalCall("POST", "/internal/devices", json: ids)
                return try reply.json["devices"]?.elements?.compactMap { $0["token"]?.string } ?? []
            }
            #expect(try await devices() == ["phone"])
            _ = try await fixture.service.database.run(sql: "update auth.session set expires_at = 1")
            #expect(try await devices().isEmpty)
            try await fixture.withInstance { _ async throws in
                try await eventually("the session to be deleted") {
                    try await fixture.service.database.run(
                        sql: "select (select count(*) from auth.session) + (select count(*) from auth.device)") == "0\n"
                }
            }
        }
    }
}
