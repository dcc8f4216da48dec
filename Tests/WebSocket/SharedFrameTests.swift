import Testing

@testable import WebSocket

@Suite("Shared frames")
struct SharedFrameTests {
    private let message = Message.text(String(repeating: "같은 말 ", count: 100))

    private func frame(_ shared: SharedFrame, to parameters: DeflateParameters?, _ pool: CompressionPool) throws
        -> TestFrame
    {
        var machine = WebSocketMachine(role: .server, limits: SizeLimits(), deflate: parameters, pool: pool)
        return try TestFrame.all(in: machine.frame(of: shared)!)[0]
    }

    @Test("Sockets with compression get the compressed form, others the plain one, all of them the same bytes")
    func forms() throws {
        let pool = CompressionPool()
        let shared = SharedFrame(message, compressingIn: pool)
        let plain = TestFrame(opcode: 1, payload: message.bytes)
        #expect(try frame(shared, to: nil, pool) == plain)
        let compressed = try frame(shared, to: DeflateParameters(), pool)
        #expect(compressed.reserved == 4 && compressed.payload.count < 200)
        #expect(TestDeflate().inflated(compressed.payload) == message.bytes)
        #expect(try frame(SharedFrame(message), to: DeflateParameters(), pool) == plain)
    }

    @Test("A broadcast is compressed once for all sockets with compression, and not at all without them")
    func compressedOnce() throws {
        let pool = CompressionPool()
        let shared = SharedFrame(message, compressingIn: pool)
        func bytes(for parameters: DeflateParameters?) -> [UInt8] {
            var machine = WebSocketMachine(role: .server, limits: SizeLimits(), deflate: parameters, pool: pool)
            return machine.frame(of: shared)!
        }
        func address(_ bytes: [UInt8]) -> UnsafePointer<UInt8>? { bytes.withUnsafeBufferPointer(\.baseAddress) }
        let plain = [bytes(for: nil), bytes(for: nil)]
        #expect(address(plain[0]) == address(plain[1]))
        #expect(pool.deflater(windowBits: 15).messageCount == 0)
        let compressed = (0..<3).map { _ in bytes(for: DeflateParameters()) }
        #expect(Set(compressed.map(address)).count == 1 && compressed[0] != plain[0])
        #expect(pool.deflater(windowBits: 15).messageCount == 1)
    }

    @Test("A socket with a small window gets no frame that refers farther back")
    func smallWindow() throws {
        let pool = CompressionPool()
        let shared = SharedFrame(message, compressingIn: pool)
        for bits in 8...15 {
            var parameters = DeflateParameters()
            parameters.serverWindowBits = bits
            let isCompressed = try frame(shared, to: parameters, pool).reserved == 4
            #expect(isCompressed == (message.bytes.count <= 1 << bits))
        }
    }

    @Test("A shared frame between a socket's own messages does not corrupt their context")
    func amongOwnMessages() throws {
        var policy = DeflatePolicy()
        policy.keepsServerContext = true
        policy.minimumSize = 0
        let pool = CompressionPool(policy: policy)
        var machine = WebSocketMachine(role: .server, limits: SizeLimits(), deflate: DeflateParameters(), pool: pool)
        let receiver = TestDeflate()
        let shared = SharedFrame(message, compressingIn: pool)
        for number in 0..<6 {
            let own = Message.text(String(repeating: "own \(number % 2) 말 ", count: 50))
            for (bytes, expected) in [(machine.frame(of: own), own), (machine.frame(of: shared), message)] {
                let frames = try TestFrame.all(in: bytes ?? [])
                try #require(frames.count == 1 && frames[0].reserved == 4)
                #expect(receiver.inflated(frames[0].payload) == expected.bytes)
            }
        }
    }
}
