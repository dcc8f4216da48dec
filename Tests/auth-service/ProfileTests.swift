import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Profiles")
struct ProfileTests {
    private static let png =
        Array("\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) }) + Array("pixels".utf8)

    @Test("Nickname and phone change independently; null removes the phone, and absent fields stay")
    func edit() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            func edit(_ json: String) async throws -> JSONValue {
                try await fixture.service.call("PUT", "/v1/users/me", token: user.access, json: json).json
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

    @Test("A nickname without a visible character, or with invisible or direction-changing ones, is E11")
    func invisibleNames() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            func edit(_ name: String) async throws -> String {
                try await fixture.service.call(
                    "PUT", "/v1/users/me", token: user.access, json: #"{"nickname":"\#(name)"}"#
                ).errorCode
            }
            for name in [
                " ", "\u{3000}", "\u{200B}", "\u{200D}", "\u{3164}", "\u{2800}", "\u{FE0F}", "a\u{200B}b", "a\u{202E}b",
                "a\u{2066}b", "a\u{200F}", "\u{FEFF}a", "a\u{00AD}b", "a\u{2028}b", "a\u{115F}b", "a\u{E0041}b",
            ] {
                #expect(try await edit(name) == "E11", "\(name.unicodeScalars.map { String($0.value, radix: 16) })")
            }
            for name in [
                "새싹", "a b", "👩‍👩‍👧‍👦", "❤️", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "کتاب\u{200C}ها",
            ] {
                #expect(try await edit(name) == "", "\(name)")
            }
        }
    }

    @Test("The internal profile has the new name and a higher version")
    func version() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            _ = try await fixture.service.call("PUT", "/v1/users/me", token: user.access, json: #"{"nickname":"n"}"#)
            let profile = try await fixture.service.internalCall(
                "POST", "/internal/profiles", json: #"{"ids":["\#(user.id)"]}"#
            ).json["profiles"]?[0]
            #expect(profile?["nickname"]?.string == "n")
            #expect(profile?["version"]?.int == 2)
        }
    }

    @Test("The profile's coins come from payment-service and are 0 while it is down")
    func coins() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            // A call that takes longer than a second on a busy machine gives no coins.
            try await eventually("the coins") { try await fixture.me(user.access).json["sesacCoin"]?.int == 40 }
            fixture.peers.setCoins(nil)
            let me = try await fixture.me(user.access)
            #expect(me.status == 200)
            #expect(try me.json["sesacCoin"]?.int == 0)
        }
    }

    @Test("Users of the same workspace see the profile without phone and coins; others get E13")
    func others() async throws {
        try await AuthFixture.run { fixture async throws in
            let (one, other) = (try await fixture.join(), try await fixture.join("o@b.kr"))
            func view(_ id: String) async throws -> HTTPCall.Reply {
                try await fixture.service.call("GET", "/v1/users/\(id)", token: one.access)
            }
            for unknown in [other.id, "999999", "x", "9223372036854775808"] {
                #expect(try await view(unknown).errorCode == "E13")
            }
            fixture.peers.shareWorkspace(other.id)
            let seen = try await view(other.id).json
            #expect(seen["email"]?.string == "o@b.kr")
            #expect(seen["phone"] == nil && seen["sesacCoin"] == nil)
            #expect(try await view(one.id).json["user_id"]?.string == one.id)
        }
    }

    @Test("The owner of system workspaces has the id 0 and the configured name", arguments: ["", "운영자"])
    func system(_ name: String) async throws {
        try await AuthFixture.run(name.isEmpty ? [:] : ["system_name": name]) { fixture async throws in
            let user = try await fixture.join(key: "gathering")
            let seen = try await fixture.service.call("GET", "/v1/users/0", key: "gathering", token: user.access)
            #expect(seen.status == 200)
            #expect(try seen.json["user_id"]?.string == "0")
            #expect(try seen.json["nickname"]?.string == (name.isEmpty ? "마루" : name))
            let email = try seen.json["email"]?.string ?? ""
            #expect(email.hasSuffix(".invalid"))
            // Nobody can invite it.
            let found = try await fixture.service.internalCall(
                "POST", "/internal/profiles/by-email", json: #"{"emails":["\#(email)"]}"#)
            #expect(!found.text.contains("user_id"))
        }
    }

    @Test("An image is typed by its bytes, named by the server, immutable in caches and never sniffed")
    func image() async throws {
        try await AuthFixture.run(["picture_retention": "0s"]) { fixture async throws in
            let user = try await fixture.join()
            let path = try #require(try await fixture.upload(Self.png, user.access).json["profileImage"]?.string)
            #expect(path.hasPrefix("/static/profiles/") && path.hasSuffix(".png"))
            let target = "/v1" + path
            let reply = try await fixture.service.call("GET", target, token: user.access)
            #expect(reply.body == Self.png)
            #expect(reply.headers["content-type"] == "image/png")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["content-disposition"] == "inline")
            #expect(reply.headers["cache-control"]?.contains("immutable") == true)
            let tag = try #require(reply.headers["etag"])
            let again = try await fixture.service.call(
                "GET", target, token: user.access, headers: [("If-None-Match", tag)])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            #expect(try await fixture.service.call("GET", target).errorCode == "E02")

            let next = try #require(try await fixture.upload(Self.png, user.access).json["profileImage"]?.string)
            #expect(next != path)
            try await eventually("the previous image to be deleted") {
                try await fixture.service.call("GET", target, token: user.access).errorCode == "E13"
            }
        }
    }

    @Test("A file that is not an image is E11 and changes nothing; an empty upload keeps the old image")
    func notAPicture() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let path = try await fixture.upload(Self.png, user.access).json["profileImage"]?.string
            for bytes in [Array("<html><script>".utf8), Array("%PDF-1.7".utf8), [0, 1, 2]] {
                #expect(try await fixture.upload(bytes, user.access).errorCode == "E11")
            }
            #expect(try await fixture.upload([], user.access).status == 200)
            #expect(try await fixture.me(user.access).json["profileImage"]?.string == path)
            for name in ["..%2F..%2Fetc%2Fpasswd", "..", "%00", "nothing.png"] {
                let reply = try await fixture.service.call("GET", "/v1/static/profiles/\(name)", token: user.access)
                #expect(["E13", "E97"].contains(reply.errorCode), "\(name): \(reply.status)")
            }
        }
    }
}
