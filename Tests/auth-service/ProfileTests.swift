import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Profiles")
struct ProfileTests {
    private static let png =
        Array("\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) }) + Array("pixels".utf8)

    @Test("Nickname and phone change apart; null takes the phone away, and what is not named stays")
    func edit() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            func edit(_ json: String) async throws -> JSONValue {
                try await house.service.call("PUT", "/v1/users/me", token: guest.access, json: json).json
            }
            let phoned = try await edit(#"{"phone":"010-1234-5678"}"#)
            #expect(phoned["phone"]?.string == "010-1234-5678")
            #expect(phoned["nickname"]?.string == "새싹")
            #expect(phoned["sesacCoin"] == nil)
            let named = try await edit(#"{"nickname":"👩‍👩‍👧‍👦나무"}"#)
            #expect(named["phone"]?.string == "010-1234-5678")
            #expect(named["nickname"]?.string == "👩‍👩‍👧‍👦나무")
            #expect(try await edit(#"{"phone":null}"#)["phone"]?.string == nil)
            let thirty = String(repeating: "👩‍👩‍👧‍👦", count: 30)
            #expect(try await edit(#"{"nickname":"\#(thirty)"}"#)["nickname"]?.string == thirty)
            #expect(try await edit(#"{"nickname":"\#(thirty)x"}"#)["errorCode"]?.string == "E11")
        }
    }

    @Test("The other services are told the new name under a higher version")
    func version() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            _ = try await house.service.call("PUT", "/v1/users/me", token: guest.access, json: #"{"nickname":"n"}"#)
            let profile = try await house.service.internalCall(
                "POST", "/internal/profiles", json: #"{"ids":["\#(guest.id)"]}"#
            ).json["profiles"]?[0]
            #expect(profile?["nickname"]?.string == "n")
            #expect(profile?["version"]?.int == 2)
        }
    }

    @Test("One's coins come from payment-service, and are 0 while it is away")
    func coins() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            #expect(try await house.me(guest.access).json["sesacCoin"]?.int == 40)
            house.neighbours.setCoins(nil)
            let me = try await house.me(guest.access)
            #expect(me.status == 200)
            #expect(try me.json["sesacCoin"]?.int == 0)
        }
    }

    @Test("Who shares a workspace sees the profile, without phone and coins; others are told that nobody is there")
    func others() async throws {
        try await AuthHouse.run { house async throws in
            let (one, other) = (try await house.join(), try await house.join("o@b.kr"))
            func look(_ id: String) async throws -> HTTPCall.Reply {
                try await house.service.call("GET", "/v1/users/\(id)", token: one.access)
            }
            for unknown in [other.id, "999999", "0", "x", "9223372036854775808"] {
                #expect(try await look(unknown).errorCode == "E13")
            }
            house.neighbours.acquaint(other.id)
            let seen = try await look(other.id).json
            #expect(seen["email"]?.string == "o@b.kr")
            #expect(seen["phone"] == nil && seen["sesacCoin"] == nil)
            #expect(try await look(one.id).json["user_id"]?.string == one.id)
        }
    }

    @Test("A picture is typed by its bytes, named by us, cached for good and never sniffed")
    func picture() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let path = try #require(try await house.upload(Self.png, guest.access).json["profileImage"]?.string)
            #expect(path.hasPrefix("/static/profiles/") && path.hasSuffix(".png"))
            let target = "/v1" + path
            let reply = try await house.service.call("GET", target, token: guest.access)
            #expect(reply.body == Self.png)
            #expect(reply.headers["content-type"] == "image/png")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["content-disposition"] == "inline")
            #expect(reply.headers["cache-control"]?.contains("immutable") == true)
            let tag = try #require(reply.headers["etag"])
            let again = try await house.service.call(
                "GET", target, token: guest.access, headers: [("If-None-Match", tag)])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            #expect(try await house.service.call("GET", target).errorCode == "E02")

            let next = try #require(try await house.upload(Self.png, guest.access).json["profileImage"]?.string)
            #expect(next != path)
            try await eventually("the former to go") {
                try await house.service.call("GET", target, token: guest.access).errorCode == "E13"
            }
        }
    }

    @Test("What is no picture is E11 and changes nothing; no picture leaves the old one")
    func notAPicture() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let path = try await house.upload(Self.png, guest.access).json["profileImage"]?.string
            for bytes in [Array("<html><script>".utf8), Array("%PDF-1.7".utf8), [0, 1, 2]] {
                #expect(try await house.upload(bytes, guest.access).errorCode == "E11")
            }
            #expect(try await house.upload([], guest.access).status == 200)
            #expect(try await house.me(guest.access).json["profileImage"]?.string == path)
            for name in ["..%2F..%2Fetc%2Fpasswd", "..", "%00", "nothing.png"] {
                let reply = try await house.service.call("GET", "/v1/static/profiles/\(name)", token: guest.access)
                #expect(["E13", "E97"].contains(reply.errorCode), "\(name): \(reply.status)")
            }
        }
    }
}
