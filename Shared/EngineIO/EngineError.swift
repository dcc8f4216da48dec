internal import Wire

/// Why a request is refused, in the reference server's codes and words.
public enum EngineError: Error, Equatable, Sendable {
    case unknownTransport
    case unknownSession
    case badHandshakeMethod
    case badRequest
    /// Refused by the application, with words for the client.
    case forbidden(String)
    case unsupportedVersion

    /// 0 to 5.
    public var code: Int {
        switch self {
        case .unknownTransport: 0
        case .unknownSession: 1
        case .badHandshakeMethod: 2
        case .badRequest: 3
        case .forbidden: 4
        case .unsupportedVersion: 5
        }
    }

    public var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badHandshakeMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .forbidden(let message): message
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
