import Testing

@testable import WebSocket

@Suite("Frames")
struct FramingTests {
    private static let lengths = [0, 1, 7, 8, 9, 125, 126, 127, 128, 4096, 65535, 65536, 131_072]

    @Test("A message of any length comes back unchanged, however it is cut", arguments: lengths, [1, 2, 997, .max])
    func echo(length: Int, chop: Int) throws {
        let payload = (0..<length).map { UInt8($0 % 95 + 32) }
        for opcode in [1, 2] as [UInt8] {
            let frame = TestFrame(opcode: opcode, payload: payload)
            var peer = EchoPeer()
            peer.take([frame], chop: chop)
            #expect(try peer.reply() == [frame])
        }
    }

    @Test("Messages that arrive in one piece are delivered one by one")
    func pipelined() throws {
        var peer = EchoPeer()
        let frames = (0..<100).map { TestFrame.text("\($0)") }
        peer.take(frames)
        #expect(try peer.reply() == frames)
    }

    @Test("A length that is not in its shortest form is refused", arguments: [0, 125, 126, 65535])
    func notMinimal(length: Int) throws {
        let frame = TestFrame.binary(Array(repeating: 0, count: length))
        for form in [TestFrame.LengthForm.sixteen, .sixtyFour] where length < 126 || form == .sixtyFour {
            var peer = EchoPeer()
            peer.take(frame.bytes(length: form))
            #expect(peer.ending?.code == .protocolError)
        }
    }

    @Test("A length above 63 bits is refused")
    func hugeLength() {
        var peer = EchoPeer()
        peer.take([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])
        #expect(peer.ending?.code == .protocolError)
    }

    @Test("A server refuses unmasked frames, a client masked ones")
    func maskRules() {
        var peer = EchoPeer()
        peer.take(TestFrame.text("x").bytes(masked: false))
        #expect(peer.ending?.code == .protocolError)

        var client = WebSocketMachine(role: .client, limits: SizeLimits())
        let ending = TestFrame.text("x").bytes().withUnsafeBytes { bytes in
            var position = 0
            return client.receive(bytes.bytes, from: &position)
        }
        guard case .finish(let ending, _) = ending else { return #expect(Bool(false), "the client goes on") }
        #expect(ending.code == .protocolError)
    }

    @Test("A client masks each frame with a new key")
    func clientMasks() throws {
        var client = WebSocketMachine(role: .client, limits: SizeLimits())
        let frames = (0..<3).compactMap { _ in client.frame(of: .text("마루 마루")) }
        #expect(Set(frames.map { $0[2..<6] }).count > 1)
        for frame in frames {
            #expect(frame[1] & 0x80 != 0)
            var peer = EchoPeer()
            peer.take(frame)
            #expect(try peer.reply() == [.text("마루 마루")])
        }
    }

    @Test(
        "Reserved bits end the connection at the frame's second byte", arguments: 1...7 as ClosedRange<UInt8>,
        [1, 2, 8, 9, 10] as [UInt8])
    func reservedBits(bits: UInt8, opcode: UInt8) throws {
        var peer = EchoPeer()
        peer.take([.text("good")])
        #expect(try peer.reply() == [.text("good")])
        let bad = TestFrame(reserved: bits, opcode: opcode, payload: [1])
        peer.take([bad, .text("never")], chop: 1)
        #expect(peer.ending?.code == .protocolError)
        #expect(try peer.reply().map(\.opcode) == [8])
    }

    @Test("Reserved opcodes end the connection", arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func reservedOpcodes(opcode: UInt8) throws {
        for payload in [[], Array("x".utf8)] {
            var peer = EchoPeer()
            peer.take([.text("good"), TestFrame(opcode: opcode, payload: payload), .ping()])
            #expect(peer.ending?.code == .protocolError)
            #expect(try peer.reply().map(\.opcode) == [1, 8])
        }
    }

    @Test("A mask applied in pieces equals the mask applied to the whole")
    func maskInPieces() {
        let bytes = (0..<200).map { UInt8($0) }
        let key: [UInt8] = [0x12, 0x9A, 0x00, 0xFF]
        let expected = bytes.enumerated().map { $1 ^ key[$0 % 4] }
        for first in 0...33 {
            for second in [0, 1, 3, 8, 13] {
                var masked = bytes
                var mask = FrameMask(key: 0xFF00_9A12)
                masked.withUnsafeMutableBytes { all in
                    mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[..<first]))
                    mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[first..<(first + second)]))
                    mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[(first + second)...]))
                }
                #expect(masked == expected)
            }
        }
    }
}
