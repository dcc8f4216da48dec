import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Bad input")
struct BadInputTests {
    /// A route with a body, and its fields that are required, in a body that is right.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let right: [String: String]
        let required: [String]
        /// One character more than each field may have, or at least that.
        var longest: [String: Int] = [:]
        var isSignedIn = false

        var testDescription: String { "\(method) \(path)" }

        func body(_ change: [String: String?] = [:]) -> String {
            var fields: [String: String] = right.mapValues { "\"\($0)\"" }
            for (name, value) in change { fields[name] = value }
            return "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    private static let device = 2049

    static let cases = [
        Case(
            method: "POST", path: "/v1/users/validation/email", right: ["email": "n@b.kr"], required: ["email"],
            longest: ["email": 255]),
        Case(
            method: "POST", path: "/v1/users/join",
            right: ["email": "n@b.kr", "password": "Passw0rd!", "nickname": "n", "phone": "010", "deviceToken": "d"],
            required: ["email", "password", "nickname"],
            longest: ["email": 255, "password": 1025, "nickname": 31, "phone": 31, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/login",
            right: ["email": "n@b.kr", "password": "Passw0rd!", "deviceToken": "d"], required: ["email", "password"],
            longest: ["email": 255, "password": 1025, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/login/kakao", right: ["oauthToken": "kakao-1", "deviceToken": "d"],
            required: ["oauthToken"], longest: ["oauthToken": 4097, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/login/apple",
            right: ["idToken": "a.b.c", "nickname": "n", "deviceToken": "d"], required: ["idToken"],
            longest: ["idToken": 8193, "nickname": 31, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/deviceToken", right: ["deviceToken": "d"], required: ["deviceToken"],
            longest: ["deviceToken": device], isSignedIn: true),
        Case(
            method: "PUT", path: "/v1/users/me", right: ["nickname": "n", "phone": "010"], required: [],
            longest: ["nickname": 31, "phone": 31], isSignedIn: true),
    ]

    @Test("Every route that takes a body is tried here")
    func complete() {
        let bodies = RouteTableTests.rows.map(\.route).filter { $0.hasPrefix("POST") || $0.hasPrefix("PUT") }
        #expect(Set(bodies) == Set(Self.cases.map(\.testDescription) + ["PUT /v1/users/me/image"]))
        for one in Self.cases { #expect(Set(one.longest.keys) == Set(one.right.keys)) }
    }

    @Test(
        "A field missing, null, of the wrong type, too long, with NUL or a lone surrogate, and a body of 10 MB are E11",
        arguments: cases)
    func refused(_ route: Case) async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let before = try await Self.everything(house)
            func code(_ body: String) async throws -> String {
                let reply = try await house.service.call(
                    route.method, route.path, token: route.isSignedIn ? guest.access : nil, json: body)
                // What is told is a code and a sentence of ours, which names the field at most.
                let told = try reply.json.members?.map(\.name) ?? []
                #expect(Set(told).isSubset(of: ["type", "title", "status", "errorCode", "detail"]))
                #expect((try reply.json["detail"]?.string?.utf8.count ?? 0) < 80)
                #expect(!reply.text.contains("Passw0rd") && !reply.text.contains("b.kr"))
                return reply.errorCode
            }
            for name in route.required {
                #expect(try await code(route.body([name: String?.none])) == "E11", "\(name) missing")
                #expect(try await code(route.body([name: "null"])) == "E11", "\(name) null")
            }
            for name in route.right.keys {
                for wrong in ["7", "true", "[]", "{}", #""a\u0000b""#, #""a\ud800b""#] {
                    #expect(try await code(route.body([name: wrong])) == "E11", "\(name) \(wrong)")
                }
                let long = String(repeating: "1", count: try #require(route.longest[name]))
                #expect(try await code(route.body([name: "\"\(long)\""])) == "E11", "\(name) too long")
            }
            for body in ["", "[]", "7", "{", "{\"email\":", "null"] where !route.required.isEmpty || !body.isEmpty {
                #expect(try await code(body) == "E11", "body \(body)")
            }
            let huge = route.body(["more": "\"" + String(repeating: "x", count: 10 << 20) + "\""])
            #expect(try await code(huge) == "E11")
            #expect(try await Self.everything(house) == before)
        }
    }

    @Test("What stands in a path or a header and cannot be is told like what is not there")
    func paths() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let before = try await Self.everything(house)
            let wrong = [
                "0", "-1", "x", "%00", "1%00", "9223372036854775808", "%ED%A0%80", "%FF", "1e3", "+1", " 1",
                String(repeating: "1", count: 4000),
            ]
            for name in wrong where name != " 1" {
                for (method, path) in [
                    ("GET", "/v1/users/"), ("DELETE", "/v1/users/me/sessions/"), ("GET", "/v1/static/profiles/"),
                ] {
                    let reply = try await house.service.call(method, path + name, token: guest.access)
                    #expect(["E13", "E97"].contains(reply.errorCode), "\(path)\(name.prefix(30)): \(reply.text)")
                }
            }
            for token in wrong + [String(repeating: "a", count: 43) + "\u{0}"] where !token.contains("\u{0}") {
                #expect(try await house.refresh(token).errorCode == "E02")
            }
            #expect(try await Self.everything(house) == before)
        }
    }

    @Test("A picture too large, cut off, doubled or under another name is refused or means unchanged")
    func pictures() async throws {
        try await AuthHouse.run(["image_size": "64KB"]) { house async throws in
            let guest = try await house.join()
            let before = try await Self.everything(house)
            let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            for size in [64 << 10, 10 << 20] {
                let reply = try await house.upload(head + Array(repeating: 1, count: size), guest.access)
                #expect(reply.errorCode == "E11")
                #expect(reply.status == 413)
            }
            func send(_ body: String, _ type: String = "multipart/form-data; boundary=b") async throws -> String {
                try await house.service.call(
                    "PUT", "/v1/users/me/image", token: guest.access, headers: [("Content-Type", type)],
                    body: Array(body.utf8)
                ).errorCode
            }
            let part = "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\nGIF89a"
            for body in ["", "--b", part, part + "\r\n--b", "--b\r\n\r\nGIF89a\r\n--b--\r\n"] {
                #expect(try await send(body) == "E11", "\(body)")
            }
            #expect(try await send(part + "\r\n" + part + "\r\n--b--\r\n") == "E11")
            #expect(try await send(part + "\r\n--b--\r\n", "multipart/form-data") == "E11")
            let other = part.replacing("\"image\"", with: "\"picture\"")
            #expect(try await send(other + "\r\n--b--\r\n") == "")
            #expect(try await Self.everything(house) == before)
            try await eventually("clearing up") {
                let all = FileManager.default.enumerator(atPath: house.service.files.path)?.allObjects as? [String]
                return Set(all ?? []) == [".uploads", "profiles"]
            }
        }
    }

    private static let wrongForms = [
        ("email", "a"), ("email", "a@b"), ("email", "a b@c.kr"), ("email", "@b.kr"), ("email", "a@@b.kr"),
        ("email", String(repeating: "a", count: 250) + "@b.kr"), ("password", "short1!"),
        ("password", "password1!"), ("password", "PASSWORD1!"), ("password", "Password!"),
        ("password", "Password1"), ("password", "Aa1!" + String(repeating: "x", count: 1024)), ("nickname", ""),
        ("nickname", String(repeating: "n", count: 31)), ("phone", "letters"), ("phone", "-"),
        ("phone", String(repeating: "1", count: 31)), ("deviceToken", String(repeating: "d", count: 2049)),
    ]

    @Test("What is too long or has not the form is E11, and nothing is written")
    func form() async throws {
        try await AuthHouse.run { house async throws in
            for (field, value) in Self.wrongForms {
                let reply = try await house.service.call(
                    "POST", "/v1/users/join", json: Self.cases[1].body([field: "\"\(value)\""]))
                #expect(reply.errorCode == "E11", "\(field) \(value.prefix(40))")
            }
            #expect(try await Self.everything(house).contains("0/0/0/0"))
        }
    }

    @Test("The longest device token that is taken fits into its index")
    func longestDevice() async throws {
        try await AuthHouse.run { house async throws in
            var random = SystemRandomNumberGenerator()
            let token = String(
                (0..<2048).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &random)! })
            _ = try await house.join(device: token)
        }
    }

    /// What is written where bad input could leave something.
    private static func everything(_ house: AuthHouse) async throws -> String {
        try await house.service.database.run(
            sql: """
                select (select count(*) from auth.account) || '/' || (select count(*) from auth.session) || '/' ||
                    (select count(*) from auth.device) || '/' || (select coalesce(sum(version), 0) from auth.account)
                """)
    }
}
