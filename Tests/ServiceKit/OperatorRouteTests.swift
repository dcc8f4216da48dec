import Contract
import HTTP
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import ServiceKit

@Suite("Routes of operators")
struct OperatorRouteTests {
    /// The audit log of a test.
    private final class Journal: Sendable {
        let entries = Mutex<[OperatorAct]>([])
        let isDown = Mutex(false)
        let acts = Mutex(0)

        func write(_ act: OperatorAct) throws {
            if isDown.withLock(\.self) { throw Failure.unavailable }
            entries.withLock { $0.append(act) }
        }

        /// The entries as `act subject outcome`.
        var lines: [String] { entries.withLock { $0.map { "\($0.act) \($0.subject) \($0.outcome ?? "begun")" } } }
    }

    private static func run(
        _ settings: [String: String] = [:], _ body: (SampleService, Journal) async throws -> Void
    ) async throws {
        let journal = Journal()
        let sample = try await SampleService(settings) { builder in
            builder.recordOperatorActs(by: journal.write)
            builder.operatorRoutes { routes in
                routes.show("/operator/weather") { $0.done() }
                routes.look("things.show", "/operator/things/{id}") { $0.done() }
                routes.act("things.break", .delete, "/operator/things/{id}/parts") { call in
                    journal.acts.withLock { $0 += 1 }
                    let id: UserID = try call.id("id")
                    guard id.rawValue != 13 else { throw Failure(.refused, "It holds.") }
                    return call.done()
                }
            }
        }
        do { try await body(sample, journal) } catch {
            await sample.stop()
            throw error
        }
        await sample.stop()
    }

    @Test("Only the operator's credential opens routes of operators, and it opens no internal route")
    func credentials() async throws {
        try await Self.run { sample, _ async throws in
            let service = sample.service
            #expect(try await service.operatorCall("GET", "/operator/weather").status == 200)
            for credential in [ServiceUnderTest.credential, "", ServiceUnderTest.operatorCredential + "x"] {
                let reply = try await service.operatorCall("GET", "/operator/weather", credential: credential)
                #expect(reply.status == 401, "\(credential)")
            }
            #expect(try await service.operatorCall("GET", "/internal/ping").status == 401)
            #expect(try await service.internalCall("GET", "/internal/ping").status == 200)
            #expect(try await service.operatorCall("GET", "/operator/nothing").status == 404)
            let outside = try await service.call(
                "GET", "/operator/weather",
                headers: [("Authorization", "Bearer " + ServiceUnderTest.operatorCredential)])
            #expect(outside.errorCode == "E97")
        }
    }

    @Test("Without a credential in the settings, every operator is refused")
    func off() async throws {
        try await Self.run(["operator_credential": ""]) { sample, _ async throws in
            for credential in ["", ServiceUnderTest.operatorCredential, ServiceUnderTest.credential] {
                let reply = try await sample.service.operatorCall("GET", "/operator/weather", credential: credential)
                #expect(reply.status == 401)
            }
        }
    }

    @Test("A short credential, or that of the services, keeps a service from starting")
    func badCredentials() async throws {
        for credential in ["short", ServiceUnderTest.credential] {
            await #expect(throws: ConfigError.self) {
                try await Self.run(["operator_credential": credential]) { _, _ in }
            }
        }
    }

    @Test("An act is in the log before it begins and with its outcome, and a look once")
    func acts() async throws {
        try await Self.run { sample, journal async throws in
            #expect(try await sample.service.operatorCall("DELETE", "/operator/things/5/parts").status == 200)
            #expect(try await sample.service.operatorCall("DELETE", "/operator/things/13/parts").status == 409)
            #expect(try await sample.service.operatorCall("GET", "/operator/things/5").status == 200)
            #expect(try await sample.service.operatorCall("GET", "/operator/weather").status == 200)
            #expect(
                journal.lines == [
                    "things.break things/5 begun", "things.break things/5 done", "things.break things/13 begun",
                    "things.break things/13 E15", "things.show things/5 begun",
                ])
            let entries = journal.entries.withLock(\.self)
            #expect(
                entries.allSatisfy { $0.operatorName == "anna" && $0.address == "127.0.0.1" && $0.service == "sample" })
            #expect(entries[0].call == entries[1].call && entries[1].call != entries[2].call)
            #expect(Set(entries.map(\.key)).count == entries.count)
        }
    }

    @Test("Nothing is done that cannot be logged")
    func withoutLog() async throws {
        try await Self.run { sample, journal async throws in
            journal.isDown.withLock { $0 = true }
            for (method, path) in [("DELETE", "/operator/things/5/parts"), ("GET", "/operator/things/5")] {
                let reply = try await sample.service.operatorCall(method, path)
                #expect(reply.status == 503)
                // The operator learns which part is missing.
                #expect(try reply.json["detail"]?.string?.contains("workspace-service") == true, "\(reply.text)")
            }
            #expect(journal.acts.withLock(\.self) == 0)
        }
    }

    @Test("An operator without a valid name is refused")
    func names() async throws {
        try await Self.run { sample, journal async throws in
            for name in [nil, "", "a b", "a/b", String(repeating: "a", count: 65)] {
                let reply = try await sample.service.operatorCall("DELETE", "/operator/things/5/parts", as: name)
                #expect(reply.status == 422, "\(name ?? "none")")
            }
            #expect(journal.acts.withLock(\.self) == 0 && journal.lines.isEmpty)
        }
    }

    @Test("The settings in force are shown with their source, and no secret is")
    func settings() async throws {
        try await Self.run { sample, _ async throws in
            let reply = try await sample.service.operatorCall("GET", "/operator/settings")
            let settings = try reply.json["settings"]?.elements.map(Array.init) ?? []
            func setting(_ name: String) -> JSONValue? { settings.first { $0.string("name") == name } }
            #expect(
                setting("user_rate")?.string("value") == "50" && setting("user_rate")?.string("source") == "default")
            #expect(setting("drain_idle")?.string("value") == "0ms" || setting("drain_idle")?.string("value") == "0s")
            #expect(setting("drain_idle")?.string("source") == "file")
            #expect(setting("service_credential")?.string("secret") == "set")
            #expect(setting("gateway_credential")?.string("secret") == "empty")
            for secret in [
                ServiceUnderTest.credential, ServiceUnderTest.operatorCredential,
                sample.service.database.connectionString,
            ] {
                #expect(!reply.text.contains(secret))
            }
        }
    }

    @Test("The state, the queues and the migrations of an instance are shown")
    func basics() async throws {
        try await Self.run { sample, _ async throws in
            let status = try await sample.service.operatorCall("GET", "/operator/status").json
            #expect(status.string("service") == "sample" && status.string("state") == "ready")
            #expect(status["postgres"]?.bool("up") == true && status["redis"]?.bool("up") == true)
            #expect(abs(status["postgres"]?.int("clockOffsetMilliseconds") ?? .max) < 60_000)
            let migrations = try await sample.service.operatorCall("GET", "/operator/migrations").json
            #expect(migrations.string("schema") == "sample")
            #expect(migrations["applied"]?.elements.map(Array.init)?.last?.int("number") == migrations.int("known"))
            #expect(try await sample.service.operatorCall("GET", "/operator/queues").json["queues"] != nil)
        }
    }

    @Test(
        "The subject of a call is its path up to the last parameter",
        arguments: [
            ("/operator/users/{id}", "/operator/users/5", "users/5"),
            ("/operator/users/{id}/sessions", "/operator/users/5/sessions", "users/5"),
            ("/operator/workspaces/{id}/owner/{user}", "/operator/workspaces/3/owner/7", "workspaces/3/owner/7"),
            ("/operator/users", "/operator/users", ""),
        ])
    func subjects(template: String, path: String, expected: String) {
        #expect(OperatorRoutes.subject(of: path, template: template) == expected)
    }
}
