import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Access to routes", .serialized)
struct AccessTests {
    @Test("The access table has exactly one row for each route")
    func completeness() async throws {
        try await ChatHarness.use { chat in
            #expect(!chat.routes.clients.isEmpty)
            #expect((AccessTable.rows.map(\.route) + AccessTable.ofPrograms).sorted() == chat.routes.clients)
        }
    }

    @Test(
        "Each route answers each persona as the access table says"
    )
    func table() async throws {
        try await ChatHarness.use { chat in
            let fixture = try await AccessFixture.make(in: chat)
            for (number, row) in AccessTable.rows.enumerated() {
                for persona in Persona.allCases {
                    let user = fixture.user(persona, row: row, number: number)
                    let token = persona == .anonymous ? nil : chat.peers.tokens.token(user: user, key: row.key)
                    let reply = try await chat.instances[0].call(
                        row.method, fixture.path(row, number: number, persona), key: row.key, token: token,
                        json: row.json ?? "")
                    let answer = [200, 201].contains(reply.status) ? "ok" : reply.errorCode
                    #expect(answer == row.answer(to: persona), "\(row.route) as \(persona): \(reply.text)")
                }
            }
        }
    }

    @Test("Every route rejects a missing or unknown API key and a forged, expired or empty token")
    func credentials() async throws {
        try await ChatHarness.use { chat in
            for row in AccessTable.rows {
                let path = row.path.replacing("{name}", with: "general").replacing(/\{[a-z_]+\}/, with: "7")
                let codes = try await chat.refusalProbe.codes(row.method, path, key: row.key, json: row.json)
                #expect(codes == RefusalProbe.refusals, "\(row.route)")
            }
        }
    }

    @Test("Internal routes are absent from the public port and require the service credential on the internal port")
    func services() async throws {
        try await ChatHarness.use { chat in
            #expect(!chat.routes.services.isEmpty)
            for route in chat.routes.services {
                let parts = route.split(separator: " ").map(String.init)
                let path = parts[1].replacing("{id}", with: "3").replacing("{room}", with: "channel-7")
                let answers = try await chat.refusalProbe.internalAnswers(parts[0], path)
                #expect(answers == RefusalProbe.internalRefusals, "\(route)")
                let isAdmitted = try await chat.refusalProbe.admitsCredential(parts[0], path)
                #expect(isAdmitted, "\(route)")
            }
        }
    }
}
