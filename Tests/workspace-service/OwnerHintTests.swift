import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Next owners in client apps", .serialized)
struct OwnerHintTests {
    /// The changes that the gateways hear for clients.
    private struct Directory {
        private let connection: RawConnection

        init(_ harness: WorkspaceHarness) async throws {
            connection = try RawConnection(port: harness.redis.port)
            try connection.send("SUBSCRIBE directory\r\nPING\r\n")
            _ = try await hear(until: "pong\r\n$0\r\n\r\n")
        }

        func hear(until mark: String) async throws -> String {
            try await onOwnThread { [connection] in Result { try connection.receive(until: mark) } }.get()
        }
    }

    @Test("Clients are told of the next owner of a workspace and of its default channel after a transfer")
    func transfer() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let directory = try await Directory(harness)
            let reply = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/transfer/ownership", json: #"{"owner_id":"2"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            let workspace = try await directory.hear(until: #""owner_id":"2","#)
            #expect(workspace.contains(#""subject":"workspace""#))
            let channel = try await directory.hear(until: #""owner_id":"2","#)
            #expect(channel.contains(#""subject":"channel""#))
        }
    }

    @Test("Clients are told of the owner of a system workspace that is created again")
    func systemOwner() async throws {
        try await WorkspaceHarness.use(["system_owner": "7"]) { harness in
            let id = try await harness.sql("select id from workspace where slug = 'lobby'")
            let deleted = try await harness.call("DELETE", "/v1/workspaces/\(id)", user: 7)
            #expect(deleted.status == 200, "\(deleted.text)")
            let directory = try await Directory(harness)
            let joined = try await harness.ask(
                "POST", "/internal/auto-join", json: #"{"user_id":"1","slugs":["lobby"]}"#)
            #expect(joined.status == 200, "\(joined.text)")
            let workspace = try await directory.hear(until: #""owner_id":"7","#)
            #expect(workspace.contains(#""subject":"workspace","name":"lobby""#))
            let channel = try await directory.hear(until: #""owner_id":"7","#)
            #expect(channel.contains(#""subject":"channel""#))
        }
    }
}
