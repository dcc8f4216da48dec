import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Who may call what", .serialized)
struct AccessTests {
    @Test("Every route has a row in the table of access, and every row a route")
    func completeness() async throws {
        try await ChatHouse.use { house in
            #expect(!house.routes.clients.isEmpty)
            #expect(AccessTable.rows.map(\.route).sorted() == house.routes.clients)
        }
    }

    @Test(
        "Every route answers the anonymous, strangers, other workspaces, ex-members, members and owners as the table says"
    )
    func table() async throws {
        try await ChatHouse.use { house in
            let fixture = try await AccessFixture.make(in: house)
            for (number, row) in AccessTable.rows.enumerated() {
                for persona in AccessTable.Persona.allCases {
                    let user = fixture.user(persona, row: row, number: number)
                    let token = persona == .anonymous ? nil : house.peers.tokens.token(user: user, key: row.key)
                    let reply = try await house.instances[0].call(
                        row.method, fixture.path(row, number: number, persona), key: row.key, token: token,
                        json: row.json ?? "")
                    let answer = reply.status == 200 ? "ok" : reply.errorCode
                    #expect(answer == row.answer(to: persona), "\(row.route) as \(persona): \(reply.text)")
                }
            }
        }
    }

    @Test("No route answers without a key, with a wrong one, or with a token that is forged, expired or empty")
    func credentials() async throws {
        try await ChatHouse.use { house in
            let forged = TokenIssuer().token(user: 1)
            let expired = house.peers.tokens.token(user: 1, lives: .seconds(-10))
            let valid = house.peers.tokens.token(user: 1)
            for row in AccessTable.rows {
                let path = String(row.route.drop { $0 != " " }.dropFirst()).replacing("{name}", with: "general")
                    .replacing(/\{[a-z_]+\}/, with: "7")
                func code(_ key: String?, _ token: String?) async throws -> String {
                    try await house.instances[0].call(row.method, path, key: key, token: token, json: row.json ?? "")
                        .errorCode
                }
                let codes = [
                    try await code(nil, valid), try await code("nobody", valid), try await code(row.key, forged),
                    try await code(row.key, expired), try await code(row.key, ""),
                ]
                #expect(codes == ["E01", "E01", "E02", "E05", "E02"], "\(row.route)")
            }
        }
    }

    @Test("Internal routes are not on the clients' port, and need the service credential on their own")
    func services() async throws {
        try await ChatHouse.use { house in
            #expect(!house.routes.services.isEmpty)
            let credential = "Bearer " + ServiceUnderTest.credential
            let token = house.peers.tokens.token(user: 1)
            for route in house.routes.services {
                let parts = route.split(separator: " ").map(String.init)
                let path = parts[1].replacing("{id}", with: "3").replacing("{room}", with: "channel-7")
                func reply(_ port: UInt16, _ headers: [(String, String)]) async throws -> HTTPCall.Reply {
                    try await HTTPCall(parts[0], port: port, path, headers: headers, body: Array("{}".utf8)).reply()
                }
                let running = house.instances[0].running
                let outside = try await reply(
                    running.publicAddress.port, [("SesacKey", "native"), ("Authorization", credential)])
                #expect(outside.errorCode == "E97", "\(route)")
                for authorization in ["", token, "Bearer " + token, credential + "x", ServiceUnderTest.credential] {
                    let inside = try await reply(running.internalAddress.port, [("Authorization", authorization)])
                    #expect(inside.status == 401, "\(route) with \(authorization)")
                }
                let admitted = try await reply(running.internalAddress.port, [("Authorization", credential)])
                #expect(admitted.status != 401, "\(route)")
            }
        }
    }
}
