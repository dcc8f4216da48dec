import Crypto
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

/// The callers of the access table and their credentials.
struct Personas: Sendable {
    private let fixture: AuthFixture
    private let stranger, coworker, owner, loggedOut: AuthFixture.TestUser
    private let expired: String
    private let forged: String
    private let image: String
    /// The id of a second session of the owner's.
    private let session: String

    init(_ fixture: AuthFixture) async throws {
        self.fixture = fixture
        owner = try await fixture.join("owner@b.kr")
        stranger = try await fixture.join("stranger@b.kr")
        coworker = try await fixture.join("coworker@b.kr")
        loggedOut = try await fixture.logIn("owner@b.kr")
        _ = try await fixture.service.call("GET", "/v1/users/logout", token: loggedOut.access)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]
        let uploaded = try await fixture.upload(png, owner.access)
        image = try #require(try uploaded.json["profileImage"]?.string)
        session = try await fixture.newSession("owner@b.kr")
        let key = try await fixture.signingKey()
        let (user, session) = (try #require(Int64(owner.id)), try #require(Int64(self.session)))
        func token(_ key: SigningKey, lives: Duration) -> String {
            TokenIssuer(key: key).token(for: .access, user: user, session: session, key: "native", lives: lives)
        }
        expired = token(key, lives: .seconds(-10))
        // It has our key's id, so that only the signature differs.
        forged = token(try SigningKey(pem: SigningKey.generate().pem, id: key.id), lives: .seconds(600))
    }

    /// Calls the route of a row as a persona, with a new session if the route ends it.
    func call(_ row: RouteTableTests.Row, as persona: RouteTableTests.Persona) async throws -> HTTPCall.Reply {
        let target = row.target.replacing("{owner}", with: owner.id).replacing("{session}", with: session)
            .replacing("{image}", with: image)
        var token: String?
        var headers: [(String, String)] = []
        let cookie = String(owner.cookie.dropFirst("maru_socket=".count).prefix { $0 != ";" })
        switch persona {
        case .keyless, .wrongKey: token = owner.access
        case .anonymous: break
        case .garbage: token = "garbage"
        case .cookie: headers.append(("Cookie", "maru_socket=\(cookie)"))
        case .cookieAsToken: token = cookie
        case .refreshTokenAsToken: token = owner.refresh
        case .forged: token = forged
        case .expired: token = expired
        case .ended: token = loggedOut.access
        case .stranger: token = stranger.access
        case .coworker:
            fixture.peers.shareWorkspace(owner.id)
            token = coworker.access
        case .owner: token = owner.access
        }
        // The routes that end sessions get a session of their own, because later rows need the persona's.
        if [.stranger, .coworker, .owner].contains(persona) {
            if row.route.hasSuffix("/logout") { token = try await fixture.logIn("\(persona.rawValue)@b.kr").access }
            if row.route == "DELETE /v1/users/me/sessions" {
                token = try await fixture.join("\(persona.rawValue)-everywhere@b.kr").access
            }
        }
        // A token is valid only with the API key under which its session was opened.
        if row.key != "native", [.stranger, .coworker, .owner].contains(persona) {
            token = try await fixture.logIn("\(persona.rawValue)@b.kr", key: row.key).access
        }
        let key: String? = persona == .keyless ? nil : persona == .wrongKey ? "unknown" : row.key
        if !row.body.isEmpty { headers.append(("Content-Type", "application/json")) }
        return try await fixture.service.call(
            row.method, target, key: key, token: token, headers: headers, body: Array(row.body.utf8))
    }
}
