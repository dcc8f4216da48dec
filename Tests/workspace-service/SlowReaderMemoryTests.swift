import ServiceSupport
import TestSupport
import Testing

@testable import workspace_service

@Suite("Memory of slow readers", .serialized)
struct SlowReaderMemoryTests {
    @Test("200 slow readers of the largest lists cost less than 64 MB, without help of the budgets")
    func lists() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            _ = try await harness.sql(fixture.enlarging)
            _ = try await harness.sql(
                """
                update channel set description = repeat('😀', 1000) where workspace = \(fixture.workspace);
                analyze channel
                """)
            let service = try await BuiltService(
                "workspace-service", database: harness.database, redis: harness.redis, auth: harness.peers.url,
                in: harness.files,
                [
                    "user_reply_bytes": "1GB", "address_reply_bytes": "1GB", "reply_bytes": "1GB",
                    "user_burst": "100000",
                ])
            let headers = [
                ("SesacKey", "native"), ("Authorization", harness.peers.tokens.token(user: 1, key: "native")),
            ]
            let base = "/v1/workspaces/\(fixture.workspace)"
            let paths = [base, base + "/channels", base + "/my-channels", base + "/search?keyword=made"]
            let (before, after) = try await SlowReaders.cost(
                of: (0..<200).map { (paths[$0 % paths.count], headers) }, to: service.process,
                named: "workspace-service", publicPort: service.publicPort, internalPort: service.internalPort)
            if !Sanitizer.isPresent { #expect(after - before < 64 << 20, "\(before) \(after)") }
            await service.stop()
        }
    }
}
