import LoadClient
import ServiceSupport

/// Change requests of clients.
struct Changes: Sendable {
    /// Users that react to one message.
    static let users = 2000
    /// Messages that are edited, one of each user and room.
    static let edited = Sends.users * 4

    private let reactions: [[UInt8]]
    private let sends: [[UInt8]]
    private let edits: [[UInt8]]

    init(_ peers: StubServer<PeerStub>) {
        let heads = (0..<Self.users).map { user in
            let token = peers.tokens.token(user: Int64(user + 1), key: "native", lives: .seconds(7200))
            return "Host: load\r\nSesacKey: native\r\nAuthorization: \(token)\r\n"
        }
        func request(_ method: String, _ path: String, _ user: Int, _ body: String = "") -> [UInt8] {
            let type = body.isEmpty ? "" : "Content-Type: application/json\r\n"
            return Array(
                "\(method) /v1/workspaces/1/channels/\(path) HTTP/1.1\r\n\(heads[user])\(type)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    .utf8)
        }
        // Each user reacts, and takes the reaction back in the next round.
        reactions = (0..<2 * Self.users).map { number in
            let method = number < Self.users ? "PUT" : "DELETE"
            return request(method, "1/chats/1/reactions/%F0%9F%91%8D", number % Self.users)
        }
        // The rooms from 2 on have one message each, so that its seq is known.
        sends = (0..<Self.edited).map { number in
            request("POST", "\(number + 2)/chats", number % Sends.users, #"{"content":"\#(Sends.content)"}"#)
        }
        edits = (0..<2 * Self.edited).map { number in
            let (message, turn) = (number % Self.edited, number / Self.edited)
            return request(
                "PUT", "\(message + 2)/chats/1", message % Sends.users, #"{"content":"\#(Sends.content) \#(turn)"}"#)
        }
    }

    /// The message that users react to.
    func announcement() -> LoadRun.Journey { Self.journey([Self.first(sends)], 201) }

    /// Writes the messages to edit, one after the other.
    func preparation() -> LoadRun.Journey { Self.journey(sends, 201) }

    func reacting() -> LoadRun.Journey { Self.journey(reactions, 200) }

    func editing() -> LoadRun.Journey { Self.journey(edits, 200) }

    private static func first(_ sends: [[UInt8]]) -> [UInt8] {
        Array(String(decoding: sends[0], as: UTF8.self).replacing("/channels/2/", with: "/channels/1/").utf8)
    }

    private static func journey(_ requests: [[UInt8]], _ status: Int) -> LoadRun.Journey {
        { connection, number, end in
            connection.send(requests[number % requests.count]) { reply in
                end(reply.status == status ? nil : "\(reply.status)")
            }
        }
    }
}
