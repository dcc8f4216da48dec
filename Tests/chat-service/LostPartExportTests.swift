import Contract
import Postgres
import ServiceKit
import TestSupport
import Testing
import Wire

@testable import chat_service

/// auth-service begins an export anew after a failure.
@Suite("Exports while a part of a divided schema is out of reach", .serialized)
struct LostPartExportTests {
    @Test("D2: a page of an export fails while a part is out of reach, so that no export is incomplete")
    func pages() async throws {
        try await LostPart.use("") { database in
            try await database.losing(["room", "message", "draft"]) { reachable in
                let store = ExportStore(database: database.pools[2].within(.seconds(60).patiently))
                await #expect(throws: PostgresError.self) {
                    try await database.run(2) { _ in try await store.tables.page(of: UserID(2), after: nil) }
                }
                let lost = try #require(LostPart.workspaces.subtracting(reachable).first)
                await #expect(throws: PostgresError.self) {
                    try await database.run(2) { _ in
                        try await store.messages(
                            of: UserID(2), in: RoomID(ChannelID(lost.rawValue)), after: 0, span: 9, limit: 9
                        ).next
                    }
                }
            }
        }
    }
}
