import EventLoop
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import auth_service

/// The access table: one row a route, compared with the registered routes.
@Suite("Access to routes")
struct RouteTableTests {
    enum Persona: String, CaseIterable, Sendable {
        /// Callers without an API key, with an unknown one, and with a key alone.
        case keyless, wrongKey, anonymous
        /// Callers with garbage for a token, or with a credential that is not for routes.
        case garbage, cookie, cookieAsToken, refreshTokenAsToken, forged
        /// Callers with an expired token, or with a token of an ended session.
        case expired, ended
        /// Signed-in callers: a stranger, a user in a workspace of the owner, and the owner.
        case stranger, coworker, owner
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let route: String
        /// The target: `{owner}` stands for the owner's id, `{session}` for one of the owner's sessions, `{image}` for
        /// their image.
        let target: String
        var key = "native"
        var body = ""
        /// The error codes for signed-in callers; empty for success.
        var stranger = ""
        var coworker = ""
        var owner = ""
        /// Whether it needs no token.
        var isOpen = false

        var testDescription: String { route }
        var method: String { String(route.prefix { $0 != " " }) }

        func expected(_ persona: Persona) -> String {
            switch persona {
            case .keyless, .wrongKey: "E01"
            case .stranger: stranger
            case .coworker: coworker
            case .owner: owner
            // An open route ignores tokens.
            case _ where isOpen: owner
            case .anonymous, .garbage, .cookie, .cookieAsToken, .refreshTokenAsToken, .forged: "E02"
            case .expired, .ended: "E05"
            }
        }
    }

    private static func open(_ route: String, _ target: String, body: String, answer: String) -> Row {
        Row(
            route: route, target: target, body: body, stranger: answer, coworker: answer, owner: answer,
            isOpen: true)
    }

    /// A route for signed-in callers with the same error for all of them.
    private static func wrong(_ route: String, body: String, answer: String) -> Row {
        Row(
            route: route, target: String(route.drop { $0 != " " }.dropFirst()), body: body, stranger: answer,
            coworker: answer, owner: answer)
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
        open("POST /v1/users/password/reset", "/v1/users/password/reset", body: #"{"email":"x"}"#, answer: "E11"),
        open("PUT /v1/users/password/reset", "/v1/users/password/reset", body: #"{"email":"x"}"#, answer: "E11"),
        Row(
            route: "POST /v1/users/email/verification", target: "/v1/users/email/verification",
            body: #"{"email":"owner@b.kr"}"#),
        wrong("PUT /v1/users/email/verification", body: #"{"email":"owner@b.kr","code":"12345"}"#, answer: "E11"),
        wrong("PUT /v1/users/me/password", body: #"{"password":"x","newPassword":"Saessak-2025!"}"#, answer: "E03"),
        wrong("PUT /v1/users/me/email", body: #"{"password":"x","email":"n@b.kr","code":"1"}"#, answer: "E03"),
        wrong("DELETE /v1/users/me", body: #"{"password":"x"}"#, answer: "E03"),
        Row(route: "POST /v1/users/me/export", target: "/v1/users/me/export"),
        Row(route: "GET /v1/users/me/export", target: "/v1/users/me/export"),
        Row(
            route: "GET /v1/static/exports/{name}", target: "/v1/static/exports/none.zip", stranger: "E13",
            coworker: "E13", owner: "E13"),
        Row(route: "GET /v1/users/me/second-factor", target: "/v1/users/me/second-factor"),
        wrong("POST /v1/users/me/second-factor", body: "{}", answer: "E11"),
        wrong("PUT /v1/users/me/second-factor", body: #"{"code":"000000"}"#, answer: "E13"),
        wrong("DELETE /v1/users/me/second-factor", body: #"{"code":"000000"}"#, answer: "E11"),
        wrong("POST /v1/users/me/second-factor/recovery-codes", body: #"{"code":"000000"}"#, answer: "E13"),
        open(
            "POST /v1/users/login/second-factor", "/v1/users/login/second-factor", body: #"{"ticket":"x","code":"1"}"#,
            answer: "E02"),
        open("GET /v1/auth/oidc", "/v1/auth/oidc", body: "", answer: ""),
        open("POST /v1/auth/oidc/{issuer}", "/v1/auth/oidc/none", body: #"{"redirect":"x"}"#, answer: "E13"),
        open(
            "POST /v1/users/login/oidc", "/v1/users/login/oidc", body: #"{"ticket":"x","state":"y","code":"z"}"#,
            answer: "E02"),
        Row(route: "PUT /v1/users/{id}/block", target: "/v1/users/{owner}/block", stranger: "E13", owner: "E11"),
        Row(route: "DELETE /v1/users/{id}/block", target: "/v1/users/{owner}/block"),
        Row(route: "GET /v1/users/me/blocks", target: "/v1/users/me/blocks"),
        Row(route: "GET /v1/users/me", target: "/v1/users/me"),
        Row(route: "GET /v1/users/my", target: "/v1/users/my", key: "sooda"),
        Row(route: "PUT /v1/users/me", target: "/v1/users/me", body: #"{"nickname":"n"}"#),
        Row(route: "PUT /v1/users/me/image", target: "/v1/users/me/image"),
        Row(route: "GET /v1/users/{id}", target: "/v1/users/{owner}", stranger: "E13"),
        Row(route: "POST /v1/users/deviceToken", target: "/v1/users/deviceToken", body: #"{"deviceToken":""}"#),
        Row(route: "GET /v1/users/me/sessions", target: "/v1/users/me/sessions"),
        Row(
            route: "DELETE /v1/users/me/sessions/{id}", target: "/v1/users/me/sessions/{session}", stranger: "E13",
            coworker: "E13"),
        Row(route: "DELETE /v1/users/me/sessions", target: "/v1/users/me/sessions"),
        // Any signed-in user with the path may read an image: it is shown beside every message of its owner.
        Row(route: "GET /v1/static/profiles/{name}", target: "/v1{image}"),
        Row(
            route: "POST /v1/static/profiles/links", target: "/v1/static/profiles/links",
            body: #"{"paths":["/static/profiles/a.png"]}"#),
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

    @Test("Every route for clients has a description in the folder Reference, and every description a route")
    func described() async throws {
        let undescribed = Mutex<[String]?>(nil)
        let service = try await ServiceUnderTest("auth-service", AuthSettings.entries) { builder in
            try await App.assemble(builder)
            builder.publicRoutes { routes in
                undescribed.withLock { $0 = routes.differences(from: Reference.all) }
            }
        }
        await service.stop()
        #expect(undescribed.withLock(\.self) == [])
    }

    @Test("Every route answers every caller as the table says")
    func table() async throws {
        try await AuthFixture.run { fixture async throws in
            let personas = try await Personas(fixture)
            // The owner comes last, because their calls succeed and change data.
            for persona in Persona.allCases {
                for row in Self.rows {
                    let reply = try await personas.call(row, as: persona)
                    let expected = row.expected(persona)
                    #expect(reply.errorCode == expected, "\(row.route) as \(persona.rawValue): \(reply.text)")
                    if expected.isEmpty { #expect(reply.status < 300) }
                }
            }
        }
    }

    @Test("A route of one generation is unknown under a key of the other")
    func generations() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            for (key, method, target) in [
                ("native", "GET", "/v1/users/my"), ("sooda", "GET", "/v1/users/me"), ("sooda", "PUT", "/v1/users/me"),
                ("sooda", "PUT", "/v1/users/me/image"), ("sooda", "GET", "/v1/users/\(user.id)"),
            ] {
                let reply = try await fixture.service.call(method, target, key: key, token: user.access, json: "{}")
                #expect(reply.errorCode == "E97", "\(method) \(target) under \(key)")
            }
        }
    }

    @Test("Every internal route needs the credential", arguments: [nil, "", "wrong", "token"])
    func internalRoutes(credential: String?) async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let token = credential == "token" ? user.access : credential
            for (method, path) in [
                ("GET", "keys"), ("POST", "profiles"), ("POST", "profiles/by-email"), ("POST", "devices"),
                ("POST", "devices/prune"), ("GET", "revocations?since=0"), ("GET", "erasures/1"),
                ("POST", "erasures/1/chat"), ("POST", "blocks"), ("POST", "second-factors"), ("POST", "disabled"),
                ("POST", "bots"), ("POST", "bots/identity"), ("POST", "bots/1/tokens"), ("GET", "bots/1/tokens"),
                ("POST", "bots/1/tokens/1/end"), ("POST", "bots/1/end"), ("POST", "notices"),
            ] {
                let reply = try await HTTPCall(
                    method, port: fixture.service.running.internalAddress.port, "/internal/\(path)",
                    headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [], body: Array("{}".utf8)
                ).reply()
                #expect(reply.status == 401, "\(path)")
                #expect(!reply.text.contains(user.id + "\""))
                #expect(try await fixture.service.call(method, "/internal/\(path)", json: "{}").errorCode == "E97")
            }
        }
    }
}
