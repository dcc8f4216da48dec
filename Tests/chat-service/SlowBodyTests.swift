import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Bodies that come slowly", .serialized)
struct SlowBodyTests {
    /// Begins a call, and returns its connection when the service has let the caller in and asks for the body.
    private static func begin(
        _ chat: ChatHarness, _ method: String, _ path: String, by user: Int64?, _ body: String
    ) async throws -> RawConnection {
        let connection = try RawConnection(port: chat.instances[0].running.publicAddress.port)
        var head = "\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        if let user {
            let token = chat.peers.tokens.token(user: user, key: "native")
            head += "SesacKey: native\r\nAuthorization: \(token)\r\n"
        }
        head += "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
        try connection.send(head)
        let interim = try await onOwnThread { Result { try connection.receive(until: "\r\n\r\n") } }.get()
        guard interim.hasPrefix("HTTP/1.1 100") else { throw NeverHappened(description: interim) }
        return connection
    }

    /// The reply to a call once its body is sent.
    private static func end(_ connection: RawConnection, _ body: String) async throws -> String {
        try connection.send(body)
        return try await onOwnThread { Result { try connection.receive(until: "}") } }.get()
    }

    @Test("A member that is removed during the body of a send, an edit or a command has changed nothing")
    func removed() async throws {
        try await ChatHarness.use { chat in
            #expect(try await chat.send("before", user: 2).status == 201)
            let dm = try await chat.dm(2, 3)
            let body = #"{"content":"after","name":"help"}"#
            let calls = [
                ("POST", "\(ChatHarness.channel)/chats"), ("POST", dm + "/chats"),
                ("PUT", "\(ChatHarness.channel)/chats/1"), ("POST", "\(ChatHarness.channel)/commands"),
            ]
            var connections: [RawConnection] = []
            for (method, path) in calls { connections.append(try await Self.begin(chat, method, path, by: 2, body)) }
            chat.peers.change { state in
                state.channels[7]?.members.remove(2)
                _ = state.workspaces[3]?.remove(2)
            }
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":9}"#)
            for (_, path) in calls.prefix(2) {
                try await eventually("a refusal") {
                    let late = try await chat.call("POST", path, user: 2, json: #"{"content":"late"}"#)
                    return late.status != 201 && late.status != 503
                }
            }
            let before = try await chat.database.ask("select count(*) from chat.message where content <> 'late'")
            for (connection, call) in zip(connections, calls) {
                let reply = try await Self.end(connection, body)
                #expect(reply.contains("E13") || reply.contains("E08") || reply.contains("E14"), "\(call): \(reply)")
            }
            #expect(before == "1")
            #expect(try await chat.database.ask("select count(*) from chat.message where content = 'after'") == "0")
        }
    }

    @Test("A program whose address is replaced during the body of a call writes nothing")
    func rotated() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.roles[4] = "owner" }
            let made = try await chat.call("POST", ChatHarness.webhooks, user: 4, json: #"{"name":"build"}"#)
            let id = try #require(try made.json["webhook_id"]?.string)
            let path = "/v1" + (try made.json["url"]?.string ?? "")
            let body = #"{"content":"built"}"#
            let connection = try await Self.begin(chat, "POST", path, by: nil, body)
            #expect(try await chat.call("POST", "\(ChatHarness.webhooks)/\(id)/secret", user: 4).status == 200)
            #expect(try await Self.end(connection, body).contains("404"))
            #expect(try await chat.database.ask("select count(*) from chat.message") == "0")
        }
    }
}
