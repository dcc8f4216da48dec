internal import Wire

/// Why a request is refused, with the codes and messages of the reference server.
public enum EngineError: Error, Equatable, Sendable {
    case unknownTransport
    case unknownSession
    case badHandshakeMethod
    case badRequest
    /// The application refused the request, with a message for the client.
    case forbidden(String)
    case unsupportedVersion
    /// The application has no room for the session now, with a message for the client: it may try again later.
    case unavailable(String)

    /// 0 to 5. The reference server has no code for `unavailable`, which shares that of `forbidden`.
    public var code: Int {
        switch self {
        case .unknownTransport: 0
        case .unknownSession: 1
        case .badHandshakeMethod: 2
        case .badRequest: 3
        case .forbidden, .unavailable: 4
        case .unsupportedVersion: 5
        }
    }

    public var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badHandshakeMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .forbidden(let message), .unavailable(let message): message
        case .unsupportedVersion: "Unsupported protocol version"
        }
    }

    /// The body of the reply.
    var json: [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                json.field("code", code)
                json.field("message", message)
            }
        }
    }
}
