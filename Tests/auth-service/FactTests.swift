import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("What the others are told of people")
struct FactTests {
    @Test("A change of a profile is a fact in the stream and a hint to caches, each with the new version")
    func changes() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let hints = try RawConnection(port: house.service.redis.port)
            try hints.send("SUBSCRIBE invalidate:users\r\n")
            _ = try hints.receive(until: ":1\r\n")
            _ = try await house.service.call("PUT", "/v1/users/me", token: guest.access, json: #"{"nickname":"n"}"#)
            _ = try await house.upload([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1], guest.access)
            for version in 2...3 {
                let body = #"{"user_id":"\#(guest.id)","version":\#(version)}"#
                _ = try hints.receive(until: body)
                try await eventually("the fact") {
                    let entries = try await house.service.redis.command("XRANGE", "facts:auth", "-", "+")
                    return entries.contains("user.changed") && entries.contains(body)
                }
            }
        }
    }

    @Test("What changes nothing is no fact")
    func unchanged() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            for body in ["{}", #"{"nickname":null}"#] {
                let reply = try await house.service.call("PUT", "/v1/users/me", token: guest.access, json: body)
                #expect(reply.status == 200)
            }
            let version = try await house.service.database.run(sql: "select version from auth.account")
            #expect(version == "1\n")
        }
    }

    @Test("Coins that cannot be had are 0 with a warning in the log, for a second at most after they can")
    func coins() async throws {
        let file = LogFile()
        try await AuthHouse.run(log: file.log(.warning)) { house async throws in
            let guest = try await house.join()
            #expect(try await house.me(guest.access).json["sesacCoin"]?.int == 40)
            #expect(!(try await file.text()).contains("no balances"))
            house.neighbours.setCoins(nil)
            for _ in 1...5 { #expect(try await house.me(guest.access).json["sesacCoin"]?.int == 0) }
            let warning = #""level":"warning","service":"auth-service","message":"no balances for profiles""#
            #expect(try await file.text().contains(warning))
            house.neighbours.setCoins(50)
            try await eventually("the coins") {
                try await house.me(guest.access).json["sesacCoin"]?.int == 50
            }
        }
    }

    @Test("Devices of sessions that have expired get nothing any more, and what is over is forgotten")
    func expiredDevices() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join(device: "phone")
            func devices() async throws -> [String] {
                let asked = #"{"ids":["\#(guest.id)"]}"#
                let reply = try await house.service.internalCall("POST", "/internal/devices", json: asked)
                return try reply.json["devices"]?.elements?.compactMap { $0["token"]?.string } ?? []
            }
            #expect(try await devices() == ["phone"])
            _ = try await house.service.database.run(sql: "update auth.session set expires_at = 1")
            #expect(try await devices().isEmpty)
            try await house.withInstance { _ async throws in
                try await eventually("the end of a session") {
                    try await house.service.database.run(
                        sql: "select (select count(*) from auth.session) + (select count(*) from auth.device)") == "0\n"
                }
            }
        }
    }
}
