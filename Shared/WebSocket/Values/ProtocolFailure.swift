/// A peer's violation of the protocol; the connection ends with this code and reason.
public struct ProtocolFailure: Error, Equatable {
    public let code: CloseCode
    /// At most 123 bytes, for the close frame.
    public let reason: String

    init(_ code: CloseCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static func protocolError(_ reason: String) -> ProtocolFailure { ProtocolFailure(.protocolError, reason) }

    static let invalidUTF8 = ProtocolFailure(.invalidPayload, "text is not UTF-8")
    static let tooBig = ProtocolFailure(.messageTooBig, "message too big")
}
