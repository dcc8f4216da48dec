import Testing

@testable import workspace_service

@Suite("Reference of the API")
struct ReferenceTests {
    @Test("Every route for clients has a description in the folder Reference, and every description a route")
    func described() async throws {
        try await WorkspaceHarness.use { harness in #expect(harness.routes.undescribed == []) }
    }
}
