import Contract
import Glibc
import HTTP
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import ServiceKit

@Suite("Operators with a credential of their own")
struct NamedOperatorTests {
    private static let (anna, ben) = (OperatorList.makeCredential(), OperatorList.makeCredential())

    /// A service with the file of operators, which a test can change.
    private struct Running {
        let service: ServiceUnderTest
        let file: String
        let entries: @Sendable () -> [OperatorAct]

        func write(_ text: String) {
            let handle = fopen(file, "w")
            fputs(text, handle)
            fclose(handle)
        }

        /// Replaces the file by one that is not text.
        func spoil() {
            let handle = fopen(file, "w")
            fputc(0xFF, handle)
            fclose(handle)
        }

        /// The status of a look and of an act.
        func statuses(_ credential: String, as name: String? = nil) async throws -> [Int] {
            let look = try await service.operatorCall("GET", "/operator/things/5", as: name, credential: credential)
            let act = try await service.operatorCall("DELETE", "/operator/things/5", as: name, credential: credential)
            return [look.status, act.status]
        }
    }

    private static func run(
        _ settings: [String: String] = [:], _ body: (Running) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder("maru-operators")
        let entries = Entries()
        let file = folder.path + "/operators"
        let sample = try await SampleService(settings.merging(["operators_file": file]) { own, _ in own }) { builder in
            builder.recordOperatorActs { act in entries.all.withLock { $0.append(act) } }
            builder.operatorRoutes { routes in
                routes.look("things.show", "/operator/things/{id}") { $0.done() }
                routes.act("things.break", .delete, "/operator/things/{id}") { $0.done() }
            }
        }
        do {
            try await body(Running(service: sample.service, file: file) { entries.all.withLock(\.self) })
        } catch {
            await sample.stop()
            throw error
        }
        await sample.stop()
    }

    private final class Entries: Sendable {
        let all = Mutex<[OperatorAct]>([])
    }

    @Test("The log has the name of the credential, not the name in the call, and a viewer looks and does not act")
    func names() async throws {
        try await Self.run { running async throws in
            running.write("anna operator \(Self.anna.digest)\nben viewer \(Self.ben.digest)\n")
            #expect(try await running.statuses(Self.anna.text, as: "eve") == [200, 200])
            #expect(try await running.statuses(Self.ben.text, as: "anna") == [200, 403])
            #expect(
                running.entries().map { "\($0.operatorName) \($0.act) \($0.outcome ?? "begun")" } == [
                    "anna things.show begun", "anna things.break begun", "anna things.break done",
                    "ben things.show begun",
                ])
            for (credential, name, role) in [(Self.anna.text, "anna", "operator"), (Self.ben.text, "ben", "viewer")] {
                let me = try await running.service.operatorCall("GET", "/operator/me", as: nil, credential: credential)
                #expect(try me.json.string("name") == name && me.json.string("role") == role)
            }
        }
    }

    @Test("A change of the file is in force with the next call: an addition, a new credential, and a removal")
    func changes() async throws {
        try await Self.run { running async throws in
            #expect(try await running.statuses(Self.anna.text) == [401, 401])
            running.write("anna viewer \(Self.anna.digest)\n")
            #expect(try await running.statuses(Self.anna.text) == [200, 403])
            running.write("anna operator \(Self.ben.digest)\n")
            #expect(try await running.statuses(Self.anna.text) == [401, 401])
            #expect(try await running.statuses(Self.ben.text) == [200, 200])
            running.write("anna removed -\n")
            #expect(try await running.statuses(Self.ben.text) == [401, 401])
        }
    }

    @Test("The shared credential stays valid, but not under the name of a listed operator, even after its removal")
    func shared() async throws {
        try await Self.run { running async throws in
            running.write("anna operator \(Self.anna.digest)\nben removed -\n")
            let shared = ServiceUnderTest.operatorCredential
            #expect(try await running.statuses(shared, as: "cara") == [200, 200])
            for name in ["anna", "ben"] {
                #expect(try await running.statuses(shared, as: name) == [403, 403])
            }
            #expect(Set(running.entries().map(\.operatorName)) == ["cara"])
        }
    }

    @Test("A file that cannot be read gives no access, and the shared credential cannot use the names in it")
    func unreadable() async throws {
        try await Self.run { running async throws in
            running.write("anna operator \(Self.anna.digest)\n")
            running.spoil()
            let shared = ServiceUnderTest.operatorCredential
            #expect(try await running.statuses(Self.anna.text) == [503, 503])
            #expect(try await running.statuses(shared, as: "anna") == [503, 503])
            let reply = try await running.service.operatorCall(
                "GET", "/operator/things/5", as: "cara", credential: shared)
            #expect(try reply.json.string("detail")?.hasPrefix("operators_file cannot be read") == true)
            #expect(running.entries().isEmpty)
            running.write("anna operator \(Self.anna.digest)\n")
            #expect(try await running.statuses(Self.anna.text) == [200, 200])
        }
    }

    @Test("Without the shared credential the others are let in, and a line that cannot be read stops only its operator")
    func alone() async throws {
        try await Self.run(["operator_credential": ""]) { running async throws in
            running.write("anna operator \(Self.anna.digest)\nben viewer nonsense\n")
            #expect(try await running.statuses(Self.anna.text) == [200, 200])
            #expect(try await running.statuses(Self.ben.text) == [401, 401])
            #expect(try await running.statuses(ServiceUnderTest.operatorCredential, as: "cara") == [401, 401])
        }
    }
}
