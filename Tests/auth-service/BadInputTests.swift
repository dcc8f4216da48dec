import ServiceSupport
import TestSupport
import Testing

@testable import auth_service

@Suite("Bad input")
struct BadInputTests {
    /// A route with a body, and its fields that are required, in a body that is right.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let right: [String: String]
        let required: [String]
        var isSignedIn = false

        var testDescription: String { "\(method) \(path)" }

        func body(_ change: [String: String?] = [:]) -> String {
            var fields: [String: String] = right.mapValues { "\"\($0)\"" }
            for (name, value) in change { fields[name] = value }
            return "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    static let cases = [
        Case(method: "POST", path: "/v1/users/validation/email", right: ["email": "n@b.kr"], required: ["email"]),
        Case(
            method: "POST", path: "/v1/users/join",
            right: ["email": "n@b.kr", "password": "Passw0rd!", "nickname": "n", "phone": "010", "deviceToken": "d"],
            required: ["email", "password", "nickname"]),
        Case(
            method: "POST", path: "/v1/users/login",
            right: ["email": "n@b.kr", "password": "Passw0rd!", "deviceToken": "d"], required: ["email", "password"]),
        Case(
            method: "POST", path: "/v1/users/login/kakao", right: ["oauthToken": "kakao-1", "deviceToken": "d"],
            required: ["oauthToken"]),
        Case(
            method: "POST", path: "/v1/users/login/apple", right: ["idToken": "a.b.c", "deviceToken": "d"],
            required: ["idToken"]),
        Case(
            method: "POST", path: "/v1/users/deviceToken", right: ["deviceToken": "d"], required: ["deviceToken"],
            isSignedIn: true),
        Case(
            method: "PUT", path: "/v1/users/me", right: ["nickname": "n", "phone": "010"], required: [],
            isSignedIn: true),
    ]

    @Test(
        "A field missing, null, of the wrong type, with NUL or a lone surrogate, and a body too large are E11",
        arguments: cases)
    func refused(_ route: Case) async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let before = try await Self.everything(house)
            func code(_ body: String) async throws -> String {
                let reply = try await house.service.call(
                    route.method, route.path, token: route.isSignedIn ? guest.access : nil, json: body)
                #expect(!reply.text.contains("Sources") && !reply.text.contains("sql"))
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
            }
            for body in ["", "[]", "7", "{", "{\"email\":", "null"] where !route.required.isEmpty || !body.isEmpty {
                #expect(try await code(body) == "E11", "body \(body)")
            }
            let huge = route.body(["more": "\"" + String(repeating: "x", count: 10 << 20) + "\""])
            #expect(try await code(huge) == "E11")
            #expect(try await Self.everything(house) == before)
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
