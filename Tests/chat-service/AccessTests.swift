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
                for persona in Persona.allCases {
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
            for row in AccessTable.rows {
                let path = row.path.replacing("{name}", with: "general").replacing(/\{[a-z_]+\}/, with: "7")
                let codes = try await house.refusalProbe.codes(row.method, path, key: row.key, json: row.json)
                #expect(codes == RefusalProbe.refusals, "\(row.route)")
            }
        }
    }

    @Test("Internal routes are not on the clients' port, and need the service credential on their own")
    func services() async throws {
        try await ChatHouse.use { house in
            #expect(!house.routes.services.isEmpty)
            for route in house.routes.services {
                let parts = route.split(separator: " ").map(String.init)
                let path = parts[1].replacing("{id}", with: "3").replacing("{room}", with: "channel-7")
                let answers = try await house.refusalProbe.internalAnswers(parts[0], path)
                #expect(answers == RefusalProbe.internalRefusals, "\(route)")
                let isAdmitted = try await house.refusalProbe.admitsCredential(parts[0], path)
                #expect(isAdmitted, "\(route)")
            }
        }
    }
}
