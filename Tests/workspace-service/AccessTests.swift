import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Who may call what", .serialized)
struct AccessTests {
    @Test("Every route has a row in the table of access, and every row a route")
    func completeness() async throws {
        try await WorkspaceHouse.use { house in
            #expect(!house.routes.clients.isEmpty)
            #expect(AccessTable.rows.map(\.route).sorted() == house.routes.clients)
        }
    }

    @Test(
        "Every route answers the anonymous, strangers, other workspaces, ex-members, members and owners as the table says"
    )
    func table() async throws {
        try await WorkspaceHouse.use { house in
            let personas = Persona.allCases
            let fixtures = try await Fixture.make(AccessTable.rows.count * personas.count, in: house)
            for (index, row) in AccessTable.rows.enumerated() {
                for (place, persona) in personas.enumerated() {
                    let fixture = fixtures[index * personas.count + place]
                    let reply = try await Self.call(row, persona, fixture, house)
                    let answer = reply.status == 200 ? "ok" : reply.errorCode
                    #expect(answer == row.answer(to: persona), "\(row.route) as \(persona): \(reply.text)")
                }
            }
        }
    }

    private static func call(
        _ row: AccessRow, _ persona: Persona, _ fixture: Fixture, _ house: WorkspaceHouse
    ) async throws -> HTTPCall.Reply {
        let token = persona == .anonymous ? nil : house.peers.tokens.token(user: persona.rawValue, key: row.key)
        if let form = row.form(name: "of \(persona)") {
            return try await house.instances[0].call(
                row.method, row.path(fixture), key: row.key, token: token, headers: [Form.type], body: form.body)
        }
        return try await house.instances[0].call(
            row.method, row.path(fixture), key: row.key, token: token, json: row.json ?? "")
    }

    @Test(
        "No route answers without an API key, with a wrong one, or with a token that is forged, expired or of another kind"
    )
    func credentials() async throws {
        try await WorkspaceHouse.use { house in
            let fixture = try await Fixture.make(1, in: house)[0]
            for row in AccessTable.rows {
                let codes = try await house.refusalProbe.codes(
                    row.method, row.path(fixture), key: row.key, json: row.json)
                #expect(codes == RefusalProbe.refusals, "\(row.route)")
            }
        }
    }

    @Test("A route of one generation is unknown under the keys of the other")
    func generations() async throws {
        try await WorkspaceHouse.use { house in
            let fixture = try await Fixture.make(1, in: house)[0]
            for row in AccessTable.rows {
                let isOld = row.key == "sooda"
                let isNew = ["search", "exit", "transfer", "my-channels", "{channel_id}", "members/{user_id}"]
                    .contains { row.route.contains($0) }
                guard isOld || isNew else { continue }
                // A channel's id is a name in the first generation, and a name no id in the second.
                if row.route.hasSuffix("channels/{channel_id}") || row.route.hasSuffix("channels/{name}")
                    || row.route.hasSuffix("/members")
                {
                    continue
                }
                let reply = try await house.call(
                    row.method, row.path(fixture), key: isOld ? "gen-2024-07" : "sooda", json: row.json ?? "")
                #expect(reply.errorCode == "E97", "\(row.route)")
            }
        }
    }

    @Test("Internal routes are not on the clients' port, and need the service credential on their own")
    func services() async throws {
        try await WorkspaceHouse.use { house in
            #expect(!house.routes.services.isEmpty)
            for route in house.routes.services {
                let parts = route.split(separator: " ").map(String.init)
                let path = parts[1].replacing("{id}", with: "1")
                let answers = try await house.refusalProbe.internalAnswers(parts[0], path)
                #expect(answers == RefusalProbe.internalRefusals, "\(route)")
                let isAdmitted = try await house.refusalProbe.admitsCredential(parts[0], path)
                #expect(isAdmitted, "\(route)")
            }
        }
    }

    @Test("Headers that claim an identity or come from no service change nothing")
    func claims() async throws {
        try await WorkspaceHouse.use { house in
            let fixture = try await Fixture.make(1, in: house)[0]
            let reply = try await house.call(
                "GET", "/v1/workspaces/\(fixture.workspace)", user: 6,
                headers: [
                    ("X-User-Id", "1"), ("X-Maru-User", "1"), ("X-Forwarded-User", "1"),
                    ("X-Original-URL", "/internal"),
                    ("RefreshToken", house.peers.tokens.token(user: 1)),
                ])
            #expect(reply.errorCode == "E13")
        }
    }
}
