import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Leases on workspaces")
struct WorkspaceLeaseTests {
    private struct Broken: Error {}

    @Test("One instance at a time works for a workspace, and a failure for one workspace stops no other")
    func each() async throws {
        try await ChatDatabase.use { database in
            try await database.run { pool in
                let leases = WorkspaceLeaseStore(database: pool)
                let workspaces = [3, 4, 5].map { WorkspaceID($0) }
                var done: [WorkspaceID] = []
                var meanwhile: [WorkspaceID] = []
                await #expect(throws: Broken.self) {
                    try await leases.each(of: workspaces, for: .files) { workspace in
                        done.append(workspace)
                        if workspace == WorkspaceID(3) { throw Broken() }
                        try await leases.each(of: workspaces, for: .files) { meanwhile.append($0) }
                    }
                }
                #expect(done == workspaces)
                // Workspace 4 is busy during its own work, and so is 5; the failure has given 3 back.
                #expect(meanwhile == [3, 5, 3, 4].map { WorkspaceID($0) })
            }
        }
    }

    @Test("The lease of an instance that has crashed ends by itself")
    func crashed() async throws {
        try await ChatDatabase.use { database in
            let end = (Timestamp.now + .seconds(60)).milliseconds
            _ = try await database.ask(
                "insert into chat.workspace_lease values (3, 'files', \(end)), (4, 'files', 1), (3, 'runs', 1)")
            try await database.run { pool in
                let leases = WorkspaceLeaseStore(database: pool)
                var done: [WorkspaceID] = []
                try await leases.each(of: [WorkspaceID(3), WorkspaceID(4)], for: .files) { done.append($0) }
                #expect(done == [WorkspaceID(4)])
            }
        }
    }
}
