/// How a WebSocket ended.
public struct Ending: Sendable, Equatable {
    /// The peer's code, or ours where it broke the protocol; `noStatus` and `abnormal` stand for none.
    public let code: CloseCode
    public let reason: String
    /// Whether both sides have exchanged close frames.
    public let isClean: Bool

    init(code: CloseCode, reason: String = "", isClean: Bool = false) {
        self.code = code
        self.reason = reason
        self.isClean = isClean
    }
}
