import LoadClient
import ServiceSupport

/// Send requests of clients: one user for each connection, each writing to all rooms in turn.
struct Sends: Sendable {
    /// How far the service processes a request.
    enum Depth: Sendable {
        /// An unknown route: the request is parsed and answered.
        case route
        /// A room without membership: the token and the access are checked.
        case access
        /// A `client_id` that is too long: the body is parsed.
        case body
        /// A new message.
        case message
    }

    static let users = 64
    static let rooms = 200
    static let content = "Good morning! The build of last night is green, I am going to deploy it at ten."

    /// The request head of each user.
    private let heads: [[UInt8]]

    /// The number of distinct requests, after which they repeat.
    private static let requests = 1600

    init(_ peers: StubServer<PeerStub>) {
        heads = (0..<Self.users).map { user in
            let token = peers.tokens.token(user: Int64(user + 1), key: "native", lives: .seconds(7200))
            return Array("Host: load\r\nSesacKey: native\r\nAuthorization: \(token)\r\n".utf8)
        }
    }

    /// Sends one message after the other. The requests are encoded in advance, since the client shares the machine with
    /// the service.
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
            case .access: "/v1/workspaces/1/channels/\(PeerStub.firstForeign + Int64(room))/chats"
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
        case .route, .access: 404
        case .body: 422
        case .message: 201
        }
    }
}
