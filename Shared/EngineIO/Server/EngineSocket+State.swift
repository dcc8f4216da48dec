extension EngineSocket {
    public var version: EngineVersion { machine.version }
    public var transport: EngineTransport { machine.transport }
    public var isOpen: Bool { machine.phase == .open }
}
