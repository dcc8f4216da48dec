import Testing
import Wire

@testable import Postgres
@testable import chat_service

@Suite("Workspaces that are out of reach")
struct LostWorkspacesTests {
    private static let (lost, other) = (WorkspaceID(3), WorkspaceID(4))

    @Test("A workspace is left out for longer after each failure, and begins anew after a success")
    func pauses() {
        var workspaces = LostWorkspaces(pause: .seconds(5))
        var now: UInt64 = 1_000_000_000
        for seconds in [5, 10, 20, 40, 60, 60] as [UInt64] {
            let end = now + seconds * 1_000_000_000
            // Two reads fail side by side.
            for moment in [now, now + 1] { workspaces.insert(Self.lost, at: moment) }
            #expect(workspaces.contains(Self.lost, at: end - 1))
            #expect(!workspaces.contains(Self.lost, at: end))
            now = end
        }
        #expect(!workspaces.contains(Self.other, at: now))
        workspaces.remove(Self.lost)
        workspaces.insert(Self.lost, at: now)
        #expect(!workspaces.contains(Self.lost, at: now + 5_000_000_000))
    }

    /// The workspaces that are read while the reads of one fail.
    private static func found(
        by wide: WideReads, failing kind: PostgresError.Kind?
    ) async throws -> Set<WorkspaceID> {
        let found = try await wide.each(of: [Self.lost, Self.other]) { workspace -> Bool in
            if workspace == Self.lost, let kind { throw PostgresError(kind, message: "") }
            return true
        }
        return Set(found.keys)
    }

    @Test("A lost workspace is read again after a read of all servers, and a full pool fails no other workspace")
    func recovery() async throws {
        let wide = WideReads(isDivided: true, pause: .seconds(600))
        #expect(try await Self.found(by: wide, failing: .timeout) == [Self.other])
        #expect(try await Self.found(by: wide, failing: nil) == [Self.other])
        #expect(try await wide.attempt { true } == true)
        #expect(try await Self.found(by: wide, failing: nil) == [Self.lost, Self.other])
        #expect(try await Self.found(by: wide, failing: .exhausted) == [Self.other])
        #expect(try await Self.found(by: wide, failing: nil) == [Self.lost, Self.other])
    }

    @Test("A workspace counts as failed until it is read, also after its pause, and not for want of a connection")
    func failures() async throws {
        let wide = WideReads(isDivided: true, pause: .zero)
        #expect(try await Self.found(by: wide, failing: .exhausted) == [Self.other])
        #expect(!wide.haveFailed([Self.lost]))
        #expect(try await Self.found(by: wide, failing: .timeout) == [Self.other])
        #expect(wide.haveFailed([Self.lost]) && !wide.areLost([Self.lost]))
        #expect(!wide.haveFailed([Self.lost, Self.other]))
        #expect(try await Self.found(by: wide, failing: nil) == [Self.lost, Self.other])
        #expect(!wide.haveFailed([Self.lost]))
    }

    @Test("After a pause one call tries to read all servers, and the others do without meanwhile")
    func oneTry() async throws {
        let wide = WideReads(isDivided: true, pause: .zero)
        func attempt(failing kind: PostgresError.Kind) async throws -> Bool? {
            try await wide.attempt { throw PostgresError(kind, message: "") }
        }
        #expect(try await attempt(failing: .timeout) == nil)
        let others = try await wide.attempt { try await wide.attempt { true } == nil }
        #expect(others == true)
        // The reads go side by side now, and after another error as well.
        let both = try await wide.attempt { try await wide.attempt { true } }
        #expect(both == true)
        #expect(try await attempt(failing: .timeout) == nil)
        await #expect(throws: PostgresError.self) { try await attempt(failing: .cancelled) }
        #expect(try await wide.attempt { true } == true)
    }
}
