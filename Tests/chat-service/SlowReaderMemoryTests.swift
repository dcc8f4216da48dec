import ServiceSupport
import TestSupport
import Testing

@testable import chat_service

@Suite("Memory of slow readers", .serialized)
struct SlowReaderMemoryTests {
    @Test(
        "200 slow readers of the largest home screen and list of DMs cost less than 64 MB, without help of the budgets")
    func rooms() async throws {
        let settings = ["user_reply_bytes": "1GB", "address_reply_bytes": "1GB", "reply_bytes": "1GB"]
        try await ChatProcess(settings).lent { process in
            try await RoomSummaryTests.fillLargest(process.peers, process.database)
            let paths = ["/v1/workspaces/3/rooms", "/v1/workspaces/3/rooms", "/v1/workspaces/3/dms"]
            let (before, after) = try await SlowReaders.cost(
                of: (0..<200).map { (paths[$0 % paths.count], process.headers(1)) }, to: try #require(process.process),
                named: "chat-service", publicPort: process.publicPort, internalPort: process.internalPort)
            if !Sanitizer.isPresent { #expect(after - before < 64 << 20, "\(before) \(after)") }
        }
    }
}
