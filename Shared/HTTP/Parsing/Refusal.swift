/// Why the server answers a request itself instead of the handler.
public enum Refusal: Error {
    /// The request is not HTTP/1.1, or two servers could read it differently.
    case malformed
    /// The request line is longer than the limit.
    case targetTooLong
    /// The head is larger, or has more fields, than the limit.
    case headersTooLarge
    /// The body is larger than the limit.
    case bodyTooLarge
    /// The head or the body arrived too slowly.
    case timeout
    /// The request is not HTTP version 1.
    case unsupportedVersion
    /// The transfer coding is not `chunked`.
    case unsupportedCoding
    /// `Expect` asks for something other than `100-continue`.
    case expectationFailed
    /// The server's limit of open connections is reached.
    case overloaded
    /// The handler threw an error.
    case handlerFailed(any Error)

    /// The status of the reply, by RFC 9110.
    public var status: Status {
        switch self {
        case .malformed: .badRequest
        case .targetTooLong: .targetTooLong
        case .headersTooLarge: .headersTooLarge
        case .bodyTooLarge: .contentTooLarge
        case .timeout: .requestTimeout
        case .unsupportedVersion: .versionNotSupported
        case .unsupportedCoding: .notImplemented
        case .expectationFailed: .expectationFailed
        case .overloaded: .serviceUnavailable
        case .handlerFailed: .internalServerError
        }
    }
}
