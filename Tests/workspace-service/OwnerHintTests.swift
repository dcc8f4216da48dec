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

    @Test("Clients hear of the next owner of a workspace and of its default channel after a transfer")
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

    @Test("Clients read a workspace again if Redis refused the hint of a change")
    func refusedHint() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let directory = try await Directory(harness)
            try await harness.redis.command("ACL", "SETUSER", "default", "-publish")
            let reply = try await harness.call("PUT", "/v1/workspaces/\(id)", form: Form(["name": "renamed"]))
            #expect(reply.status == 200, "\(reply.text)")
            // The subscription goes on, so it is not told that it may have missed something.
            try await eventually("a refused hint") { try await harness.redis.command("ACL", "LOG").contains("publish") }
            try await harness.redis.command("ACL", "SETUSER", "default", "+publish")
            // A late hint with the name could take the place of a newer name.
            let heard = try await directory.hear(until: #""subject":"workspace"}"#)
            #expect(heard.hasSuffix(#"{"type":"edited","workspace_id":"\#(id)","subject":"workspace"}"#))
            #expect(!heard.contains("renamed"))
        }
    }

    @Test("A changed role makes caches ask again although Redis refused the hint at first")
    func refusedAccessHint() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let hints = try RawConnection(port: harness.redis.port)
            try hints.send("SUBSCRIBE invalidate:access\r\n")
            _ = try hints.receive(until: ":1\r\n")
            try await harness.redis.command("ACL", "SETUSER", "default", "-publish")
            let reply = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/members/2/role", json: #"{"role":"admin"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            try await eventually("a refused hint") { try await harness.redis.command("ACL", "LOG").contains("publish") }
            try await harness.redis.command("ACL", "SETUSER", "default", "+publish")
            let hint = #"{"workspace_id":"\#(id)","user_id":"2"}"#
            _ = try await onOwnThread { Result { try hints.receive(until: hint) } }.get()
        }
    }

    @Test("Clients hear of the channels that a new guest leaves, and of the default one that a former guest enters")
    func guest() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let partners = try await harness.makeChannel("partners", in: id)
            try await harness.join(2, partners)
            let common = try await harness.sql("select id from channel where workspace = \(id) and is_default")
            let directory = try await Directory(harness)
            func member(_ type: String, of channel: String) -> String {
                #"{"type":"\#(type)","workspace_id":"\#(id)","subject":"member","user_id":"2","#
                    + #""channel_id":"\#(channel)"}"#
            }
            func set(_ body: String) async throws {
                let reply = try await harness.call("PUT", "/v1/workspaces/\(id)/members/2/role", json: body)
                #expect(reply.status == 200, "\(reply.text)")
            }
            try await set(#"{"role":"guest"}"#)
            _ = try await directory.hear(until: member("gone", of: common))
            try await set(#"{"role":"member"}"#)
            _ = try await directory.hear(until: member("entered", of: common))
            try await set(#"{"role":"guest","channels":[]}"#)
            _ = try await directory.hear(until: member("gone", of: "\(partners)"))
        }
    }

    /// Makes user 2, a guest, the owner of the workspace of user 1, and expects that clients hear of it.
    private func promote(_ act: (WorkspaceHarness, _ workspace: Int64) async throws -> Void) async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let common = try await harness.sql("select id from channel where workspace = \(id) and is_default")
            let directory = try await Directory(harness)
            let hints = try RawConnection(port: harness.redis.port)
            try hints.send("SUBSCRIBE invalidate:access\r\n")
            _ = try hints.receive(until: ":1\r\n")
            func hearHint() async throws {
                let hint = #"{"workspace_id":"\#(id)","user_id":"2"}"#
                _ = try await onOwnThread { Result { try hints.receive(until: hint) } }.get()
            }
            try await harness.invite(2, to: id)
            try await hearHint()
            let reply = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/members/2/role", json: #"{"role":"guest"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            try await hearHint()
            try await act(harness, id)
            // With it sockets of the former guest read their view again.
            try await hearHint()
            _ = try await directory.hear(
                until: #"{"type":"entered","workspace_id":"\#(id)","subject":"member","user_id":"2","#
                    + #""channel_id":"\#(common)"}"#)
        }
    }

    @Test("A guest that an operator makes the owner sees the whole workspace, and clients hear of the default channel")
    func promotedByOperator() async throws {
        try await promote { harness, id in
            let reply = try await harness.instances[0].operatorCall("PUT", "/operator/workspaces/\(id)/owner/2")
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    @Test("A guest that inherits a workspace sees the whole of it, and clients hear of the default channel")
    func promotedByErasure() async throws {
        try await promote { harness, _ in
            let body = #"{"user_id":"1","round":1,"messages":false}"#
            try await harness.redis.command(
                "XADD", "facts:auth", "*", "id", "1", "type", "user.deleted", "body", body)
        }
    }

    @Test("Clients hear of the owner of a system workspace that is created again")
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
