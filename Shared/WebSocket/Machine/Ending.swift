/// How a WebSocket ended.
public struct Ending: Sendable, Equatable {
    /// The peer's code, or ours if the peer violated the protocol; `noStatus` and `abnormal` if there is no code.
    public let code: CloseCode
    public let reason: String
    /// Whether both sides exchanged close frames.
    public let isClean: Bool

    init(code: CloseCode, reason: String = "", isClean: Bool = false) {
        self.code = code
        self.reason = reason
        self.isClean = isClean
    }
}
