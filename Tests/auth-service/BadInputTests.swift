import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Bad input")
struct BadInputTests {
    /// A route: a valid body and its required fields.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let valid: [String: String]
        let required: [String]
        /// A length that is too long for each field, mostly by one character.
        var longest: [String: Int] = [:]
        var isSignedIn = false

        var testDescription: String { "\(method) \(path)" }

        func body(_ change: [String: String?] = [:]) -> String {
            var fields: [String: String] = valid.mapValues { "\"\($0)\"" }
            for (name, value) in change { fields[name] = value }
            return "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    private static let device = 2049
    static let cases = [
        Case(
            method: "POST", path: "/v1/users/validation/email", valid: ["email": "n@b.kr"], required: ["email"],
            longest: ["email": 255]),
        Case(
            method: "POST", path: "/v1/users/join",
            valid: [
                "email": "n@b.kr", "password": "Saessak-2024!", "nickname": "n", "phone": "010", "deviceToken": "d",
            ],
            required: ["email", "password", "nickname"],
            longest: ["email": 255, "password": 1025, "nickname": 31, "phone": 31, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/login",
            valid: ["email": "n@b.kr", "password": "Saessak-2024!", "deviceToken": "d"],
            required: ["email", "password"],
            longest: ["email": 255, "password": 1025, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/login/kakao", valid: ["oauthToken": "kakao-1", "deviceToken": "d"],
            required: ["oauthToken"], longest: ["oauthToken": 4097, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/login/apple",
            valid: ["idToken": "a.b.c", "nickname": "n", "deviceToken": "d"], required: ["idToken"],
            longest: ["idToken": 8193, "nickname": 31, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/deviceToken", valid: ["deviceToken": "d"], required: ["deviceToken"],
            longest: ["deviceToken": device], isSignedIn: true),
        Case(
            method: "PUT", path: "/v1/users/me", valid: ["nickname": "n", "phone": "010", "language": "ko"],
            required: [], longest: ["nickname": 31, "phone": 31, "language": 3], isSignedIn: true),
        Case(
            method: "POST", path: "/v1/users/email/verification", valid: ["email": "n@b.kr"], required: ["email"],
            longest: ["email": 255], isSignedIn: true),
        Case(
            method: "PUT", path: "/v1/users/email/verification", valid: ["email": "n@b.kr", "code": "123456"],
            required: ["email", "code"], longest: ["email": 255, "code": 17], isSignedIn: true),
        Case(
            method: "POST", path: "/v1/users/password/reset", valid: ["email": "n@b.kr"], required: ["email"],
            longest: ["email": 255]),
        Case(
            method: "PUT", path: "/v1/users/password/reset",
            valid: ["email": "n@b.kr", "code": "123456", "password": "Saessak-2024!"],
            required: ["email", "code", "password"], longest: ["email": 255, "code": 17, "password": 1025]),
        Case(
            method: "PUT", path: "/v1/users/me/password",
            valid: ["password": "Saessak-2024!", "newPassword": "Saessak-2025!"],
            required: ["password", "newPassword"], longest: ["password": 1025, "newPassword": 1025], isSignedIn: true),
        Case(
            method: "PUT", path: "/v1/users/me/email",
            valid: ["password": "Saessak-2024!", "email": "n@b.kr", "code": "123456"],
            required: ["password", "email", "code"], longest: ["password": 1025, "email": 255, "code": 17],
            isSignedIn: true),
        Case(
            method: "POST", path: "/v1/users/me/second-factor", valid: ["password": "Saessak-2024!"],
            required: ["password"], longest: ["password": 1025], isSignedIn: true),
        Case(
            method: "PUT", path: "/v1/users/me/second-factor", valid: ["code": "123456"], required: ["code"],
            longest: ["code": 65], isSignedIn: true),
        Case(
            method: "POST", path: "/v1/users/me/second-factor/recovery-codes", valid: ["code": "123456"],
            required: ["code"], longest: ["code": 65], isSignedIn: true),
        Case(
            method: "POST", path: "/v1/users/login/second-factor",
            valid: ["ticket": "t", "code": "123456", "deviceToken": "d"], required: ["ticket", "code"],
            longest: ["ticket": 65, "code": 65, "deviceToken": device]),
        Case(
            method: "POST", path: "/v1/users/login/oidc",
            valid: ["ticket": "t", "state": "s", "code": "c", "deviceToken": "d"],
            required: ["ticket", "state", "code"],
            longest: ["ticket": 65, "state": 2049, "code": 2049, "deviceToken": device]),
    ]

    @Test("Every route with a body has a test here")
    func complete() {
        let bodies = RouteTableTests.rows.map(\.route).filter { $0.hasPrefix("POST") || $0.hasPrefix("PUT") }
        // Other suites have these, or they have no body.
        let others = [
            "PUT /v1/users/me/image", "POST /v1/static/profiles/links", "PUT /v1/users/{id}/block",
            "POST /v1/users/me/export", "POST /v1/auth/oidc/{issuer}",
        ]
        #expect(Set(bodies) == Set(Self.cases.map(\.testDescription) + others))
        for one in Self.cases { #expect(Set(one.longest.keys) == Set(one.valid.keys)) }
    }

    @Test(
        "A field that is missing, null, of the wrong type, too long, or has NUL or a lone surrogate is E11, and so is a body of 10 MB",
        arguments: cases)
    func refused(_ route: Case) async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let before = try await Self.writtenRows(fixture)
            func code(_ body: String) async throws -> String {
                let reply = try await fixture.service.call(
                    route.method, route.path, token: route.isSignedIn ? user.access : nil, json: body)
                // The reply contains a code and one of our sentences, which names the field at most.
                let members = try reply.json.members?.map(\.name) ?? []
                #expect(Set(members).isSubset(of: ["type", "title", "status", "requestId", "errorCode", "detail"]))
                #expect((try reply.json["detail"]?.string?.utf8.count ?? 0) < 80)
                #expect(!reply.text.contains("Saessak") && !reply.text.contains("b.kr"))
                return reply.errorCode
            }
            for name in route.required {
                #expect(try await code(route.body([name: String?.none])) == "E11", "\(name) missing")
                #expect(try await code(route.body([name: "null"])) == "E11", "\(name) null")
            }
            for name in route.valid.keys {
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
            #expect(try await Self.writtenRows(fixture) == before)
        }
    }

    @Test("An impossible id in a path or header gets the same reply as an unknown one")
    func paths() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let before = try await Self.writtenRows(fixture)
            let wrong = [
                "0", "-1", "x", "%00", "1%00", "9223372036854775808", "%ED%A0%80", "%FF", "1e3", "+1", " 1",
                String(repeating: "1", count: 4000),
            ]
            for name in wrong where name != " 1" {
                for (method, path) in [
                    ("GET", "/v1/users/"), ("DELETE", "/v1/users/me/sessions/"), ("GET", "/v1/static/profiles/"),
                ] {
                    // The system's owner has the id 0 and answers as a member.
                    if path == "/v1/users/", name == "0" { continue }
                    let reply = try await fixture.service.call(method, path + name, token: user.access)
                    #expect(["E13", "E97"].contains(reply.errorCode), "\(path)\(name.prefix(30)): \(reply.text)")
                }
            }
            for token in wrong + [String(repeating: "a", count: 43) + "\u{0}"] where !token.contains("\u{0}") {
                #expect(try await fixture.refresh(token).errorCode == "E02")
            }
            #expect(try await Self.writtenRows(fixture) == before)
        }
    }

    @Test("An image that is too large, cut off, doubled or under another name is refused or changes nothing")
    func images() async throws {
        try await AuthFixture.run(["image_size": "64KB"]) { fixture async throws in
            let user = try await fixture.join()
            let before = try await Self.writtenRows(fixture)
            let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            for size in [64 << 10, 10 << 20] {
                let reply = try await fixture.upload(head + Array(repeating: 1, count: size), user.access)
                #expect(reply.errorCode == "E11")
                #expect(reply.status == 413)
            }
            func send(_ body: String, _ type: String = "multipart/form-data; boundary=b") async throws -> String {
                try await fixture.service.call(
                    "PUT", "/v1/users/me/image", token: user.access, headers: [("Content-Type", type)],
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
            #expect(try await Self.writtenRows(fixture) == before)
            try await eventually("the uploads to be removed") {
                let all = FileManager.default.enumerator(atPath: fixture.service.files.path)?.allObjects as? [String]
                return Set(all ?? []) == [".uploads", "profiles", "exports"]
            }
        }
    }

    private static let wrongForms = [
        ("email", "a"), ("email", "a@b"), ("email", "a b@c.kr"), ("email", "@b.kr"), ("email", "a@@b.kr"),
        ("email", String(repeating: "a", count: 250) + "@b.kr"), ("password", "short1!"),
        ("password", "password1!"), ("password", "PASSWORD1!"), ("password", "Password!"),
        ("password", "Password1"), ("password", "P@ssw0rd!"),
        ("password", "Aa1!" + String(repeating: "x", count: 1024)), ("nickname", ""),
        ("nickname", String(repeating: "n", count: 31)), ("phone", "letters"), ("phone", "-"),
        ("phone", String(repeating: "1", count: 31)), ("deviceToken", String(repeating: "d", count: 2049)),
    ]

    @Test("A field that is too long or malformed is E11, and nothing is written")
    func form() async throws {
        try await AuthFixture.run { fixture async throws in
            for (field, value) in Self.wrongForms {
                let reply = try await fixture.service.call(
                    "POST", "/v1/users/join", json: Self.cases[1].body([field: "\"\(value)\""]))
                #expect(reply.errorCode == "E11", "\(field) \(value.prefix(40))")
            }
            #expect(try await Self.writtenRows(fixture).contains("0/0/0/0"))
        }
    }

    @Test("The longest accepted device token fits into its index")
    func longestDevice() async throws {
        try await AuthFixture.run { fixture async throws in
            var random = SystemRandomNumberGenerator()
            let token = String(
                (0..<2048).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &random)! })
            _ = try await fixture.join(device: token)
        }
    }

    /// Counts of everything that bad input could have written.
    private static func writtenRows(_ fixture: AuthFixture) async throws -> String {
        try await fixture.service.database.run(
            sql: """
                select (select count(*) from auth.account) || '/' || (select count(*) from auth.session) || '/' ||
                    (select count(*) from auth.device) || '/' || (select coalesce(sum(version), 0) from auth.account)
                """)
    }
}
