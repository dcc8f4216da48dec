import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("What other services ask of accounts")
struct DirectoryTests {
    private func devices(_ house: AuthHouse, _ guests: AuthHouse.Guest...) async throws -> Set<String> {
        let ids = guests.map { "\"\($0.id)\"" }.joined(separator: ",")
        let json = try await house.service.internalCall("POST", "/internal/devices", json: "{\"ids\":[\(ids)]}").json
        return Set(
            try #require(json["devices"]?.elements).map {
                "\($0["user_id"]?.string == guests[0].id ? "first" : "second"):\($0["token"]?.string ?? "")"
            })
    }

    @Test("A person has a device a session; a device moves with its last login, and empty text clears the session's")
    func devices() async throws {
        try await AuthHouse.run { house async throws in
            let first = try await house.join(device: "phone")
            let tablet = try await house.logIn(device: "tablet")
            #expect(try await devices(house, first) == ["first:phone", "first:tablet"])

            let second = try await house.join("s@b.kr", device: "phone")
            #expect(try await devices(house, first, second) == ["first:tablet", "second:phone"])

            func set(_ token: String, _ guest: AuthHouse.Guest) async throws -> Int {
                try await house.service.call(
                    "POST", "/v1/users/deviceToken", token: guest.access, json: #"{"deviceToken":"\#(token)"}"#
                ).status
            }
            #expect(try await set("new phone", first) == 200)
            #expect(try await set("", tablet) == 200)
            #expect(try await devices(house, first, second) == ["first:new phone", "second:phone"])
            _ = try await house.service.call("GET", "/v1/users/logout", token: first.access)
            #expect(try await devices(house, first, second) == ["second:phone"])
            _ = try await house.service.internalCall("POST", "/internal/devices/prune", json: #"{"token":"phone"}"#)
            #expect(try await devices(house, first, second).isEmpty)
        }
    }

    @Test("Profiles come in bulk by id and by email, and unknown ones are absent")
    func profiles() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join("Known@b.kr")
            let byID = try await house.service.internalCall(
                "POST", "/internal/profiles", json: #"{"ids":["\#(guest.id)","999999"]}"#
            ).json["profiles"]
            #expect(byID?.elements?.map { $0["user_id"]?.string } == [guest.id])
            let byEmail = try await house.service.internalCall(
                "POST", "/internal/profiles/by-email", json: #"{"emails":["kNOWN@b.kr","no@b.kr","nonsense"]}"#
            ).json["profiles"]
            #expect(byEmail?.elements?.map { $0["asked"]?.string } == ["kNOWN@b.kr"])
            #expect(byEmail?[0]?["email"]?.string == "Known@b.kr")
        }
    }

    @Test("Bulk calls have a limit")
    func limit() async throws {
        try await AuthHouse.run { house async throws in
            let ids = (1...1001).map { "\"\($0)\"" }.joined(separator: ",")
            for path in ["profiles", "devices"] {
                let reply = try await house.service.internalCall(
                    "POST", "/internal/\(path)", json: "{\"ids\":[\(ids)]}")
                #expect(reply.errorCode == "E11")
            }
        }
    }

    @Test("The published keys verify our tokens, and hold no secret half")
    func keys() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let reply = try await house.service.internalCall("GET", "/internal/keys")
            let head = try #require(guest.access.split(separator: ".").first)
            let header = try JSONValue(parsing: Base64.decode(head.utf8.span, .url) ?? [])
            let keys = try #require(try reply.json["keys"]?.elements)
            #expect(keys.contains { $0["kid"]?.string == header["kid"]?.string })
            #expect(!keys.contains { $0["d"] != nil })
        }
    }

    @Test("Nothing of it is on the public port, and nobody without the credential is answered")
    func guarded() async throws {
        try await AuthHouse.run { house async throws in
            for path in ["keys", "revocations?since=0"] {
                #expect(try await house.service.call("GET", "/internal/\(path)").errorCode == "E97")
                let port = house.service.running.internalAddress.port
                #expect(try await HTTPCall.get(port: port, "/internal/\(path)").status == 401)
            }
        }
    }
}
