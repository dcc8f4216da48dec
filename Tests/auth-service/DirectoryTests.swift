import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("The internal routes of auth-service")
struct DirectoryTests {
    private func devices(_ fixture: AuthFixture, _ users: AuthFixture.TestUser...) async throws -> Set<String> {
        let ids = users.map { "\"\($0.id)\"" }.joined(separator: ",")
        let json = try await fixture.service.internalCall("POST", "/internal/devices", json: "{\"ids\":[\(ids)]}").json
        return Set(
            try #require(json["devices"]?.elements).map {
                "\($0["user_id"]?.string == users[0].id ? "first" : "second"):\($0["token"]?.string ?? "")"
            })
    }

    @Test("A session has one device; a device token moves to its last login, and an empty token clears it")
    func devices() async throws {
        try await AuthFixture.run { fixture async throws in
            let first = try await fixture.join(device: "phone")
            let tablet = try await fixture.logIn(device: "tablet")
            #expect(try await devices(fixture, first) == ["first:phone", "first:tablet"])

            let second = try await fixture.join("s@b.kr", device: "phone")
            #expect(try await devices(fixture, first, second) == ["first:tablet", "second:phone"])

            func set(_ token: String, _ user: AuthFixture.TestUser) async throws -> Int {
                try await fixture.service.call(
                    "POST", "/v1/users/deviceToken", token: user.access, json: #"{"deviceToken":"\#(token)"}"#
                ).status
            }
            #expect(try await set("new phone", first) == 200)
            #expect(try await set("", tablet) == 200)
            #expect(try await devices(fixture, first, second) == ["first:new phone", "second:phone"])
            _ = try await fixture.service.call("GET", "/v1/users/logout", token: first.access)
            #expect(try await devices(fixture, first, second) == ["second:phone"])
            _ = try await fixture.service.internalCall("POST", "/internal/devices/prune", json: #"{"token":"phone"}"#)
            #expect(try await devices(fixture, first, second).isEmpty)
        }
    }

    @Test("Profiles are returned in bulk by id and by email, without unknown ones")
    func profiles() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join("Known@b.kr")
            let byID = try await fixture.service.internalCall(
                "POST", "/internal/profiles", json: #"{"ids":["\#(user.id)","999999"]}"#
            ).json["profiles"]
            #expect(byID?.elements?.map { $0["user_id"]?.string } == [user.id])
            let byEmail = try await fixture.service.internalCall(
                "POST", "/internal/profiles/by-email", json: #"{"emails":["kNOWN@b.kr","no@b.kr","nonsense"]}"#
            ).json["profiles"]
            #expect(byEmail?.elements?.map { $0["asked"]?.string } == ["kNOWN@b.kr"])
            #expect(byEmail?[0]?["email"]?.string == "Known@b.kr")
        }
    }

    @Test("Bulk calls have a limit")
    func limit() async throws {
        try await AuthFixture.run { fixture async throws in
            let ids = (1...1001).map { "\"\($0)\"" }.joined(separator: ",")
            for path in ["profiles", "devices"] {
                let reply = try await fixture.service.internalCall(
                    "POST", "/internal/\(path)", json: "{\"ids\":[\(ids)]}")
                #expect(reply.errorCode == "E11")
            }
        }
    }

    @Test("The published keys verify our tokens and contain no private key")
    func keys() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let reply = try await fixture.service.internalCall("GET", "/internal/keys")
            let head = try #require(user.access.split(separator: ".").first)
            let header = try JSONValue(parsing: Base64.decode(head.utf8.span, .url) ?? [])
            let keys = try #require(try reply.json["keys"]?.elements)
            #expect(keys.contains { $0["kid"]?.string == header["kid"]?.string })
            #expect(!keys.contains { $0["d"] != nil })
        }
    }

    @Test("The internal routes are not on the public port and need the credential")
    func guarded() async throws {
        try await AuthFixture.run { fixture async throws in
            for path in ["keys", "revocations?since=0"] {
                #expect(try await fixture.service.call("GET", "/internal/\(path)").errorCode == "E97")
                let port = fixture.service.running.internalAddress.port
                #expect(try await HTTPCall.get(port: port, "/internal/\(path)").status == 401)
            }
        }
    }
}
