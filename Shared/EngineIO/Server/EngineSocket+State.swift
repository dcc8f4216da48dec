internal import WebSocket

extension EngineSocket {
    public var version: EngineVersion { machine.version }
    public var transport: EngineTransport { machine.transport }
    public var isOpen: Bool { machine.phase == .open }

    /// Raises the limit of queued bytes to that of the settings and `size`, for a message that may be larger than others. It is not
    /// lowered again.
    public func allowMessage(of size: Int) {
        machine.outputLimit = max(machine.outputLimit, owner.settings.outputLimit + size)
        webSocket?.limitOutput(to: machine.outputLimit)
    }
}
