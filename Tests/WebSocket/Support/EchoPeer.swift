import WebSocket

/// A server's machine that sends every message back, with records of its output and its ending.
struct EchoPeer {
    private(set) var machine: WebSocketMachine
    private(set) var written: [UInt8] = []
    private(set) var ending: Ending?
    private(set) var pongs: [[UInt8]] = []
    private(set) var delivered = 0

    init(
        limits: SizeLimits = SizeLimits(message: 16 << 20), deflate: DeflateParameters? = nil,
        pool: CompressionPool = CompressionPool()
    ) {
        machine = WebSocketMachine(role: .server, limits: limits, deflate: deflate, pool: pool)
    }

    /// Receives bytes in chunks of `chop`.
    mutating func take(_ bytes: [UInt8], chop: Int = .max) {
        var start = 0
        while start < bytes.count {
            let end = start + min(chop, bytes.count - start)
            Array(bytes[start..<end]).withUnsafeBytes { chunk in
                var position = 0
                while let action = machine.receive(chunk.bytes, from: &position) { perform(action) }
                precondition(position == chunk.count, "all bytes are taken")
            }
            start = end
        }
    }

    mutating func take(_ frames: [TestFrame], chop: Int = .max) { take(frames.flatMap { $0.bytes() }, chop: chop) }

    mutating func perform(_ action: WebSocketMachine.Action) {
        switch action {
        case .deliver(let message):
            delivered += 1
            written += machine.frame(of: message) ?? []
        case .deliverPong(let payload): pongs.append(payload)
        case .write(let frame): written += frame
        case .finish(let ending, let lastFrame):
            precondition(self.ending == nil, "it ends once")
            self.ending = ending
            written += lastFrame ?? []
        }
    }

    mutating func change(_ body: (inout WebSocketMachine) -> Void) { body(&machine) }

    /// Frames written since the last call.
    mutating func reply() throws -> [TestFrame] {
        defer { written = [] }
        return try TestFrame.all(in: written)
    }
}
