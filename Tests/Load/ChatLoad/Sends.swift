import LoadClient
import ServiceSupport

/// Sends as clients make them, of as many users as there are connections, each into rooms at random.
struct Sends: Sendable {
    /// How deep into the service a call goes.
    enum Depth: Sendable {
        /// No such route: the request is read and replied to.
        case route
        /// A room that its author is not in: the token has been looked at, and who may enter.
        case door
        /// A `client_id` that is too long: the body has been read.
        case body
        /// A message that has been written before: a commit that writes nothing.
        case commit
        /// A new message.
        case message
    }

    static let users = 64
    static let rooms = 200
    /// Names that are sent under again and again.
    static let names = 6400

    private let heads: [[UInt8]]
    private static let content = "Good morning! The build of last night is green, I am going to deploy it at ten."

    init(_ peers: PeerStandin) {
        heads = (0..<Self.users).map { user in
            let token = peers.tokens.token(user: Int64(user + 1), key: "native", lives: .seconds(7200))
            return Array("Host: load\r\nSesacKey: native\r\nAuthorization: \(token)\r\n".utf8)
        }
    }

    /// Sends one message after the other.
    ///
    /// - Parameter run: begins every message's `client_id`; nil for messages without.
    func journey(_ depth: Depth = .message, run: UInt32? = nil) -> LoadRun.Journey {
        { connection, number, end in
            let number = depth == .commit ? number % Self.names : number
            let name = run.map { "\($0)-\(1_000_000 + number)" }
            connection.send(request(depth, number, name)) { reply in
                end(reply.status == depth.status ? nil : "\(reply.status)")
            }
        }
    }

    private func request(_ depth: Depth, _ number: Int, _ name: String?) -> [UInt8] {
        let room = number &* 7919 % Self.rooms + 1
        let path =
            switch depth {
            case .route: "/v1/nowhere/1/channels/\(room)/chats"
            case .door: "/v1/workspaces/1/channels/\(PeerStandin.firstForeign + Int64(room))/chats"
            default: "/v1/workspaces/1/channels/\(room)/chats"
            }
        let named = name.map { #","client_id":"\#($0)\#(depth == .body ? Self.tooLong : "")""# } ?? ""
        let body = #"{"content":"\#(Self.content)"\#(named)}"#
        var request = Array("POST \(path) HTTP/1.1\r\n".utf8)
        request += heads[number % Self.users]
        request += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n".utf8
        request += body.utf8
        return request
    }

    private static let tooLong = String(repeating: "x", count: 64)
}

extension Sends.Depth {
    fileprivate var status: Int {
        switch self {
        case .route, .door: 404
        case .body: 422
        case .commit, .message: 201
        }
    }
}
