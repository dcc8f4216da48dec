import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing

@testable import chat_service

@Suite("Readers that read slowly", .serialized)
struct SlowReaderTests {
    private static let messages = 800

    /// Begins to read a history that is far longer than the kernel and the service hold for a slow reader.
    private static func begin(_ chat: ChatHarness, _ path: String, by user: Int64) async throws -> RawConnection {
        let connection = try RawConnection(port: chat.instances[0].running.publicAddress.port, receiveBuffer: 1 << 16)
        let token = chat.peers.tokens.token(user: user, key: "native")
        try connection.send(
            "GET \(path)?after_seq=0 HTTP/1.1\r\nHost: a\r\nSesacKey: native\r\nAuthorization: \(token)\r\n"
                + "Connection: close\r\n\r\n")
        let head = try await onOwnThread { Result { try connection.receive(until: "\r\n\r\n") } }.get()
        guard head.hasPrefix("HTTP/1.1 200") else { throw NeverHappened(description: head) }
        return connection
    }

    @Test("A long history ends too early for a reader that has lost its access, and is whole for another one")
    func removed() async throws {
        try await ChatHarness.use { chat in
            let dm = try await chat.dm(2, 3)
            #expect(try await chat.send("one", user: 2).status == 201)
            #expect(try await chat.call("POST", dm + "/chats", user: 2, json: #"{"content":"one"}"#).status == 201)
            _ = try await chat.database.ask(
                """
                with filled as (
                    insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    select workspace, kind, id, n, 2, 1001, n || repeat('long', 5000), '{}', last_at + n
                    from chat.room, generate_series(2, \(Self.messages)) as n
                )
                update chat.room set last_seq = \(Self.messages) returning 1
                """)
            let paths = ["\(ChatHarness.channel)/chats", dm + "/chats"]
            var connections: [(reader: Int64, path: String, connection: RawConnection)] = []
            for path in paths {
                for reader: Int64 in path == paths[0] ? [2, 3] : [2] {
                    connections.append((reader, path, try await Self.begin(chat, path, by: reader)))
                }
            }
            chat.peers.change { state in
                state.channels[7]?.members.remove(2)
                _ = state.workspaces[3]?.remove(2)
            }
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":9}"#)
            for path in paths {
                // A reply under way may be cut off.
                try await eventually("a refusal") {
                    (try? await chat.call("GET", path + "?after_seq=799", user: 2))?.errorCode == "E13"
                }
            }
            for (reader, path, connection) in connections {
                let body = try await onOwnThread { Result { try connection.receiveToEnd() } }.get()
                let isWhole = body.suffix(5) == Array("0\r\n\r\n".utf8)[...]
                #expect(isWhole == (reader == 3), "\(path) for \(reader): \(body.count) bytes")
                if reader == 2 { #expect(body.count < Self.messages * 20_000 / 2) }
            }
        }
    }
}
