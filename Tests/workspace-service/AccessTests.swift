import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Access to routes", .serialized)
struct AccessTests {
    @Test("The access table has exactly one row for each route")
    func completeness() async throws {
        try await WorkspaceHarness.use { harness in
            #expect(!harness.routes.clients.isEmpty)
            #expect(AccessTable.rows.map(\.route).sorted() == harness.routes.clients)
        }
    }

    @Test(
        "Each route answers each persona as the access table says"
    )
    func table() async throws {
        try await WorkspaceHarness.use { harness in
            let personas = Persona.allCases
            let fixtures = try await Fixture.make(AccessTable.rows.count * personas.count, in: harness)
            for (index, row) in AccessTable.rows.enumerated() {
                for (place, persona) in personas.enumerated() {
                    let fixture = fixtures[index * personas.count + place]
                    let reply = try await Self.call(row, persona, fixture, harness)
                    let answer = reply.status < 300 ? "ok" : reply.errorCode
                    #expect(answer == row.answer(to: persona), "\(row.route) as \(persona): \(reply.text)")
                }
            }
        }
    }

    private static func call(
        _ row: AccessRow, _ persona: Persona, _ fixture: Fixture, _ harness: WorkspaceHarness
    ) async throws -> HTTPCall.Reply {
        let token = persona == .anonymous ? nil : harness.peers.tokens.token(user: persona.rawValue, key: row.key)
        if let form = row.form(name: "of \(persona)") {
            return try await harness.instances[0].call(
                row.method, row.path(fixture), key: row.key, token: token, headers: [Form.type], body: form.body)
        }
        return try await harness.instances[0].call(
            row.method, row.path(fixture), key: row.key, token: token, json: row.json(fixture) ?? "")
    }

    @Test(
        "Every route rejects a missing or unknown API key and a forged, expired or wrong kind of token"
    )
    func credentials() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            for row in AccessTable.rows {
                let codes = try await harness.refusalProbe.codes(
                    row.method, row.path(fixture), key: row.key, json: row.json(fixture))
                #expect(codes == RefusalProbe.refusals, "\(row.route)")
            }
        }
    }

    @Test("A route of one generation is unknown under the keys of the other")
    func generations() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            for row in AccessTable.rows {
                let isOld = row.key == "sooda"
                let isNew = ["search", "exit", "transfer", "my-channels", "{channel_id}", "members/{user_id}"]
                    .contains { row.route.contains($0) }
                guard isOld || isNew else { continue }
                // An id is a valid name in the first generation; a name is no valid id in the second.
                if row.route.hasSuffix("channels/{channel_id}") || row.route.hasSuffix("channels/{name}")
                    || row.route.hasSuffix("/members")
                {
                    continue
                }
                let reply = try await harness.call(
                    row.method, row.path(fixture), key: isOld ? "gen-2024-07" : "sooda", json: row.json(fixture) ?? "")
                #expect(reply.errorCode == "E97", "\(row.route)")
            }
        }
    }

    @Test("Internal routes are absent from the public port and require the service credential on the internal port")
    func services() async throws {
        try await WorkspaceHarness.use { harness in
            #expect(!harness.routes.services.isEmpty)
            for route in harness.routes.services {
                let parts = route.split(separator: " ").map(String.init)
                let path = parts[1].replacing("{id}", with: "1")
                let answers = try await harness.refusalProbe.internalAnswers(parts[0], path)
                #expect(answers == RefusalProbe.internalRefusals, "\(route)")
                let isAdmitted = try await harness.refusalProbe.admitsCredential(parts[0], path)
                #expect(isAdmitted, "\(route)")
            }
        }
    }

    @Test("Headers that claim an identity have no effect")
    func claims() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let reply = try await harness.call(
                "GET", "/v1/workspaces/\(fixture.workspace)", user: 6,
                headers: [
                    ("X-User-Id", "1"), ("X-Maru-User", "1"), ("X-Forwarded-User", "1"),
                    ("X-Original-URL", "/internal"),
                    ("RefreshToken", harness.peers.tokens.token(user: 1)),
                ])
            #expect(reply.errorCode == "E13")
        }
    }
}
