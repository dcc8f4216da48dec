import Crypto
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

/// The people of the table of routes, and what they show.
struct Cast: Sendable {
    private let house: AuthHouse
    private let stranger, acquaintance, owner, gone: AuthHouse.Guest
    private let expired: String
    private let forged: String
    private let picture: String
    /// A second one of the owner's.
    private let session: String

    init(_ house: AuthHouse) async throws {
        self.house = house
        owner = try await house.join("owner@b.kr")
        stranger = try await house.join("stranger@b.kr")
        acquaintance = try await house.join("acquaintance@b.kr")
        gone = try await house.logIn("owner@b.kr")
        _ = try await house.service.call("GET", "/v1/users/logout", token: gone.access)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]
        let uploaded = try await house.upload(png, owner.access)
        picture = try #require(try uploaded.json["profileImage"]?.string)
        session = try await house.newSession("owner@b.kr")
        let key = try await house.signingKey()
        let (user, session) = (try #require(Int64(owner.id)), try #require(Int64(self.session)))
        func token(_ key: SigningKey, lives: Duration) -> String {
            TokenIssuer(key: key).token(for: .access, user: user, session: session, key: "native", lives: lives)
        }
        expired = token(key, lives: .seconds(-10))
        // Named as ours is, so that only its signature tells.
        forged = token(try SigningKey(pem: SigningKey.generate().pem, id: key.id), lives: .seconds(600))
    }

    /// Calls the route of a row as somebody, who comes in anew where the route ends their session.
    func call(_ row: RouteTableTests.Row, as persona: RouteTableTests.Persona) async throws -> HTTPCall.Reply {
        let target = row.target.replacing("{owner}", with: owner.id).replacing("{session}", with: session)
            .replacing("{picture}", with: picture)
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
        case .ended: token = gone.access
        case .stranger: token = stranger.access
        case .acquaintance:
            house.neighbours.acquaint(owner.id)
            token = acquaintance.access
        case .owner: token = owner.access
        }
        // Nobody's own session is to end before the table does.
        if [.stranger, .acquaintance, .owner].contains(persona) {
            if row.route.hasSuffix("/logout") { token = try await house.logIn("\(persona.rawValue)@b.kr").access }
            if row.route == "DELETE /v1/users/me/sessions" {
                token = try await house.join("\(persona.rawValue)-everywhere@b.kr").access
            }
        }
        let key: String? = persona == .keyless ? nil : persona == .wrongKey ? "nobody's" : row.key
        if !row.body.isEmpty { headers.append(("Content-Type", "application/json")) }
        return try await house.service.call(
            row.method, target, key: key, token: token, headers: headers, body: Array(row.body.utf8))
    }
}
