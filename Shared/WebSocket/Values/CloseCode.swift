/// Why a WebSocket ends (RFC 6455 §7.4 and IANA's registry).
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    /// Takes any number; `isSendable` is true if a close frame may contain it.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let normal = CloseCode(rawValue: 1000)
    /// The server shuts down, or the user leaves the page.
    public static let goingAway = CloseCode(rawValue: 1001)
    public static let protocolError = CloseCode(rawValue: 1002)
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// The peer's close frame contained no code. Never sent.
    public static let noStatus = CloseCode(rawValue: 1005)
    /// The connection was lost without a close frame. Never sent.
    public static let abnormal = CloseCode(rawValue: 1006)
    /// Text is not UTF-8, or compressed bytes cannot be decompressed.
    public static let invalidPayload = CloseCode(rawValue: 1007)
    public static let policyViolation = CloseCode(rawValue: 1008)
    public static let messageTooBig = CloseCode(rawValue: 1009)
    public static let internalError = CloseCode(rawValue: 1011)
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// The server is overloaded, or the peer reads too slowly: connect again later.
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether a close frame may contain the code: registered codes, and 3000 to 4999 for libraries and applications.
    public var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
