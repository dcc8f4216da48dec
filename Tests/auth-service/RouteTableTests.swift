import EventLoop
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import auth_service

/// Who may call what: a row a route, held against the routes that there are.
@Suite("Who may call what")
struct RouteTableTests {
    enum Persona: String, CaseIterable, Sendable {
        /// Without an API key, with one that nobody has, and with one alone.
        case keyless, wrongKey, anonymous
        /// With what is no token, and with tokens that are not for this.
        case garbage, cookie, cookieAsToken, refreshTokenAsToken, forged
        /// With a token that has run out, and with one whose session has ended.
        case expired, ended
        /// Signed in, and with nothing to do with the other's data; someone who shares a workspace with the owner; the owner.
        case stranger, acquaintance, owner
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let route: String
        /// What is called; `{owner}` stands for the owner's id, `{session}` for one of theirs, `{picture}` for theirs.
        let target: String
        var key = "native"
        var body = ""
        /// What those who are signed in get: nothing for success.
        var stranger = ""
        var acquaintance = ""
        var owner = ""
        /// Whether it needs no token.
        var isOpen = false

        var testDescription: String { route }
        var method: String { String(route.prefix { $0 != " " }) }

        func expected(_ persona: Persona) -> String {
            switch persona {
            case .keyless, .wrongKey: "E01"
            case .stranger: stranger
            case .acquaintance: acquaintance
            case .owner: owner
            // An open route does not look at tokens at all.
            case _ where isOpen: owner
            case .anonymous, .garbage, .cookie, .cookieAsToken, .refreshTokenAsToken, .forged: "E02"
            case .expired, .ended: "E05"
            }
        }
    }

    private static func open(_ route: String, _ target: String, body: String, answer: String) -> Row {
        Row(
            route: route, target: target, body: body, stranger: answer, acquaintance: answer, owner: answer,
            isOpen: true)
    }

    static let rows = [
        open(
            "POST /v1/users/validation/email", "/v1/users/validation/email", body: #"{"email":"free@b.kr"}"#, answer: ""
        ),
        open("POST /v1/users/join", "/v1/users/join", body: #"{"email":"owner@b.kr"}"#, answer: "E11"),
        open("POST /v1/users/login", "/v1/users/login", body: #"{"email":"x"}"#, answer: "E11"),
        open("POST /v1/users/login/kakao", "/v1/users/login/kakao", body: #"{"oauthToken":"x"}"#, answer: "E03"),
        open("POST /v1/users/login/apple", "/v1/users/login/apple", body: #"{"idToken":"x"}"#, answer: "E03"),
        open("GET /v1/auth/refresh", "/v1/auth/refresh", body: "", answer: "E02"),
        Row(route: "GET /v1/users/me", target: "/v1/users/me"),
        Row(route: "GET /v1/users/my", target: "/v1/users/my", key: "sooda"),
        Row(route: "PUT /v1/users/me", target: "/v1/users/me", body: #"{"nickname":"n"}"#),
        Row(route: "PUT /v1/users/me/image", target: "/v1/users/me/image"),
        Row(route: "GET /v1/users/{id}", target: "/v1/users/{owner}", stranger: "E13"),
        Row(route: "POST /v1/users/deviceToken", target: "/v1/users/deviceToken", body: #"{"deviceToken":""}"#),
        Row(route: "GET /v1/users/me/sessions", target: "/v1/users/me/sessions"),
        Row(
            route: "DELETE /v1/users/me/sessions/{id}", target: "/v1/users/me/sessions/{session}", stranger: "E13",
            acquaintance: "E13"),
        Row(route: "DELETE /v1/users/me/sessions", target: "/v1/users/me/sessions"),
        // Whoever was told its path sees a picture: it stands beside every message of the person's.
        Row(route: "GET /v1/static/profiles/{name}", target: "/v1{picture}"),
        Row(route: "GET /v1/users/logout", target: "/v1/users/logout"),
    ]

    @Test("Every route has a row, and every row a route")
    func complete() async throws {
        let listing = Mutex<[String]>([])
        let service = try await ServiceUnderTest("auth-service", AuthSettings.entries) { builder in
            try await App.assemble(builder)
            builder.publicRoutes { routes in listing.withLock { $0 = routes.listing } }
        }
        await service.stop()
        let routes = listing.withLock(\.self)
        #expect(routes.sorted() == Self.rows.map(\.route).sorted())
    }

    @Test("Everybody gets from every route what the table says")
    func table() async throws {
        try await AuthHouse.run { house async throws in
            let cast = try await Cast(house)
            // The owner comes last, because they may.
            for persona in Persona.allCases {
                for row in Self.rows {
                    let reply = try await cast.call(row, as: persona)
                    let expected = row.expected(persona)
                    #expect(reply.errorCode == expected, "\(row.route) as \(persona.rawValue): \(reply.text)")
                    if expected.isEmpty { #expect(reply.status < 300) }
                }
            }
        }
    }

    @Test("Under a key of the other generation a route of one is unknown")
    func generations() async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            for (key, method, target) in [
                ("native", "GET", "/v1/users/my"), ("sooda", "GET", "/v1/users/me"), ("sooda", "PUT", "/v1/users/me"),
                ("sooda", "PUT", "/v1/users/me/image"), ("sooda", "GET", "/v1/users/\(guest.id)"),
            ] {
                let reply = try await house.service.call(method, target, key: key, token: guest.access, json: "{}")
                #expect(reply.errorCode == "E97", "\(method) \(target) under \(key)")
            }
        }
    }

    @Test("Every internal route is closed to whoever lacks the credential", arguments: [nil, "", "wrong", "token"])
    func internalRoutes(credential: String?) async throws {
        try await AuthHouse.run { house async throws in
            let guest = try await house.join()
            let shown = credential == "token" ? guest.access : credential
            for (method, path) in [
                ("GET", "keys"), ("POST", "profiles"), ("POST", "profiles/by-email"), ("POST", "devices"),
                ("POST", "devices/prune"), ("GET", "revocations?since=0"),
            ] {
                let reply = try await HTTPCall(
                    method, port: house.service.running.internalAddress.port, "/internal/\(path)",
                    headers: shown.map { [("Authorization", "Bearer \($0)")] } ?? [], body: Array("{}".utf8)
                ).reply()
                #expect(reply.status == 401, "\(path)")
                #expect(!reply.text.contains(guest.id + "\""))
                #expect(try await house.service.call(method, "/internal/\(path)", json: "{}").errorCode == "E97")
            }
        }
    }
}
