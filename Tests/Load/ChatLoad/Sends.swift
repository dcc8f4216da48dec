import LoadClient
import ServiceSupport

/// Sends as clients make them, of as many users as there are connections, each into rooms in turn.
struct Sends: Sendable {
    /// How deep into the service a call goes.
    enum Depth: Sendable {
        /// No such route: the request is read and replied to.
        case route
        /// A room that its author is not in: the token has been looked at, and who may enter.
        case door
        /// A `client_id` that is too long: the body has been read.
        case body
        /// A new message.
        case message
    }

    static let users = 64
    static let rooms = 200
    static let content = "Good morning! The build of last night is green, I am going to deploy it at ten."

    /// What identifies each user.
    private let heads: [[UInt8]]

    /// Then the same user comes to the same room again.
    private static let requests = 1600

    init(_ peers: StubServer<PeerStandin>) {
        heads = (0..<Self.users).map { user in
            let token = peers.tokens.token(user: Int64(user + 1), key: "native", lives: .seconds(7200))
            return Array("Host: load\r\nSesacKey: native\r\nAuthorization: \(token)\r\n".utf8)
        }
    }

    /// Sends one message after the other. Their bytes are made before: the client shares the machine with the service.
    func journey(_ depth: Depth = .message) -> LoadRun.Journey {
        let requests = (0..<Self.requests).map { request(depth, $0) }
        return { connection, number, end in
            connection.send(requests[number % requests.count]) { reply in
                end(reply.status == depth.status ? nil : "\(reply.status)")
            }
        }
    }

    private func request(_ depth: Depth, _ number: Int) -> [UInt8] {
        let room = number &* 7919 % Self.rooms + 1
        let path =
            switch depth {
            case .route: "/v1/nowhere/1/channels/\(room)/chats"
            case .door: "/v1/workspaces/1/channels/\(PeerStandin.firstForeign + Int64(room))/chats"
            case .body, .message: "/v1/workspaces/1/channels/\(room)/chats"
            }
        let name = depth == .body ? #","client_id":"\#(String(repeating: "x", count: 65))""# : ""
        let body = #"{"content":"\#(Self.content)"\#(name)}"#
        var request = Array("POST \(path) HTTP/1.1\r\n".utf8)
        request += heads[number % Self.users]
        request += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n".utf8
        request += body.utf8
        return request
    }
}

extension Sends.Depth {
    fileprivate var status: Int {
        switch self {
        case .route, .door: 404
        case .body: 422
        case .message: 201
        }
    }
}
