/// Why the server answers a request itself, or in a handler's place.
public enum Refusal: Error {
    /// Not HTTP/1.1, or something in it can be read in two ways.
    case malformed
    /// The request line is longer than its limit.
    case targetTooLong
    /// The head is larger, or has more fields, than its limit.
    case headersTooLarge
    /// The body is larger than its limit.
    case bodyTooLarge
    /// Head or body came too slowly.
    case timeout
    /// Not version 1 of HTTP.
    case unsupportedVersion
    /// A transfer coding other than `chunked`.
    case unsupportedCoding
    /// An `Expect` other than `100-continue`.
    case expectationFailed
    /// As many connections as the server allows are open.
    case overloaded
    /// The handler threw.
    case handlerFailed(any Error)

    /// The status that RFC 9110 gives for it.
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
