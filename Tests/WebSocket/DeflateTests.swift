import CZlib
import Testing

@testable import WebSocket

@Suite("Compressed messages")
struct DeflateTests {
    private static let windows = [8, 9, 10, 12, 15]

    /// Text that repeats itself at every distance up to 40,000 bytes.
    private static let corpus: [UInt8] = {
        var state: UInt64 = 88_172_645_463_325_252
        let words = ["마루", "channel", "message", "workspace", "0123456789", "\"content\":", ", ", "안녕하세요 "]
        var text = ""
        while text.utf8.count < 80_000 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            text += words[Int(state % 8)] + String(state % 1000)
        }
        return Array(text.utf8)
    }()

    private static func slice(_ length: Int, _ number: Int) -> [UInt8] {
        let start = number * 977 % (corpus.count - length)
        return Array(String(decoding: corpus[start..<(start + length)], as: UTF8.self).utf8)
    }

    private static func pool(minimumSize: Int = 0) -> CompressionPool {
        var policy = DeflatePolicy()
        policy.minimumSize = minimumSize
        return CompressionPool(policy: policy)
    }

    @Test(
        "Messages come back with all negotiated windows and contexts",
        arguments: windows, [(true, true), (true, false), (false, true), (false, false)])
    func echo(windowBits: Int, keeps: (server: Bool, client: Bool)) throws {
        var parameters = DeflateParameters()
        parameters.serverWindowBits = windowBits
        parameters.clientWindowBits = windowBits
        parameters.serverKeepsContext = keeps.server
        parameters.clientKeepsContext = keeps.client
        var peer = EchoPeer(deflate: parameters, pool: Self.pool())
        let sender = TestDeflate(windowBits: windowBits, keepsContext: keeps.client)
        let receiver = TestDeflate(windowBits: windowBits, keepsContext: keeps.server)
        for (number, length) in [0, 1, 16, 64, 300, 0, 1024, 8192, 40_000, 5, 40_000].enumerated() {
            let message = Self.slice(length, number)
            for fragment in [Int.max, 256] {
                peer.take(fragments(of: sender.deflated(message), each: fragment), chop: number % 2 == 0 ? .max : 100)
                let reply = try peer.reply()
                try #require(reply.count == 1 && reply[0].reserved == 4 && reply[0].opcode == 1)
                try #require(receiver.inflated(reply[0].payload) == message)
            }
        }
    }

    private func fragments(of payload: [UInt8], each size: Int) -> [TestFrame] {
        var frames: [TestFrame] = []
        var rest = payload[...]
        repeat {
            let part = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            let isFirst = frames.isEmpty
            frames.append(
                TestFrame(
                    isFinal: rest.isEmpty, reserved: isFirst ? 4 : 0, opcode: isFirst ? 1 : 0, payload: part))
        } while !rest.isEmpty
        return frames
    }

    @Test("Our client and server understand each other, and a kept context makes repetitions small")
    func bothSides() throws {
        var sizes: [Bool: Int] = [:]
        for keeps in [true, false] {
            var parameters = DeflateParameters()
            parameters.serverKeepsContext = keeps
            parameters.clientKeepsContext = keeps
            let pool = Self.pool()
            var client = WebSocketMachine(role: .client, limits: SizeLimits(), deflate: parameters, pool: pool)
            var server = EchoPeer(deflate: parameters, pool: pool)
            let message = Message(.text, Self.slice(3000, 1))
            for _ in 0..<5 {
                server.take(client.frame(of: message)!)
                let written = server.written
                _ = try server.reply()
                sizes[keeps] = written.count
                let action = written.withUnsafeBytes { bytes in
                    var position = 0
                    return client.receive(bytes.bytes, from: &position)
                }
                #expect(action == .deliver(message))
            }
        }
        #expect(sizes[true]! * 4 < sizes[false]!)
    }

    @Test("Messages may be uncompressed, and short ones are sent uncompressed")
    func uncompressed() throws {
        var peer = EchoPeer(deflate: DeflateParameters(), pool: Self.pool(minimumSize: 100))
        let long = TestFrame(opcode: 1, payload: Self.slice(200, 3))
        peer.take([.text("short"), long])
        let reply = try peer.reply()
        #expect(reply[0] == .text("short"))
        #expect(reply[1].reserved == 4 && reply[1].payload.count < 200)
    }

    @Test("The compression bit is refused without negotiation, and on a continuation")
    func misplacedBit() {
        var peer = EchoPeer()
        peer.take([TestFrame(reserved: 4, opcode: 1, payload: [0])])
        #expect(peer.ending?.code == .protocolError)
        peer = EchoPeer(deflate: DeflateParameters())
        peer.take([.text("a", final: false), TestFrame(reserved: 4, opcode: 0, payload: [0])])
        #expect(peer.ending?.code == .protocolError)
    }

    @Test("Invalid compressed data ends the connection with 1007, and the loop's inflater still works")
    func garbage() throws {
        let pool = Self.pool()
        var parameters = DeflateParameters()
        parameters.clientKeepsContext = false
        var peer = EchoPeer(deflate: parameters, pool: pool)
        peer.take([TestFrame(reserved: 4, opcode: 2, payload: [0xFF, 0xFF, 0xFF, 0x00])])
        #expect(peer.ending?.code == .invalidPayload)
        peer = EchoPeer(deflate: parameters, pool: pool)
        peer.take([TestFrame(reserved: 4, opcode: 1, payload: TestDeflate().deflated(Array("fine".utf8)))])
        #expect(peer.delivered == 1)
    }

    @Test("Decompressed text is checked for UTF-8", arguments: [[0xFF], [0x61, 0xE1, 0xBD]] as [[UInt8]])
    func invalidText(text: [UInt8]) {
        var peer = EchoPeer(deflate: DeflateParameters())
        peer.take([TestFrame(reserved: 4, opcode: 1, payload: TestDeflate().deflated(text))])
        #expect(peer.ending?.code == .invalidPayload)
    }

    @Test("A message may decompress to the limit, and one byte more ends the connection with 1009")
    func inflatedSize() throws {
        for (size, passes) in [(100_000, true), (100_001, false), (50_000_000, false)] {
            for keeps in [true, false] {
                var parameters = DeflateParameters()
                parameters.clientKeepsContext = keeps
                var peer = EchoPeer(limits: SizeLimits(message: 100_000), deflate: parameters)
                let bomb = TestDeflate().deflated([UInt8](repeating: 7, count: size))
                peer.take([TestFrame(reserved: 4, opcode: 2, payload: bomb)])
                #expect((peer.ending == nil) == passes)
                if !passes { #expect(peer.ending?.code == .messageTooBig) }
            }
        }
    }

    @Test("Random bytes up to the limit pass though compression makes them longer; a much longer frame is refused")
    func noise() throws {
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255) }
        var peer = EchoPeer(limits: SizeLimits(message: 100_000), deflate: DeflateParameters())
        let deflated = TestDeflate().deflated(noise)
        #expect(deflated.count > 100_000)
        peer.take([TestFrame(reserved: 4, opcode: 2, payload: deflated)])
        #expect(peer.delivered == 1)
        peer.take([TestFrame(isFinal: false, reserved: 4, opcode: 2, payload: deflated)])
        peer.take(Array(TestFrame.more(deflated).bytes()[..<14]))
        #expect(peer.ending?.code == .messageTooBig)
    }

    @Test("The examples of RFC 7692 are decoded")
    func examples() throws {
        let hello: [[UInt8]] = [
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ]
        for payload in hello {
            var peer = EchoPeer(deflate: DeflateParameters(), pool: Self.pool(minimumSize: 1000))
            peer.take([TestFrame(reserved: 4, opcode: 1, payload: payload)])
            #expect(try peer.reply() == [.text("Hello")])
        }
        var peer = EchoPeer(deflate: DeflateParameters(), pool: Self.pool(minimumSize: 1000))
        peer.take([
            TestFrame(reserved: 4, opcode: 1, payload: hello[0]),
            TestFrame(reserved: 4, opcode: 1, payload: [0xF2, 0x00, 0x11, 0x00, 0x00]),
        ])
        #expect(try peer.reply() == [.text("Hello"), .text("Hello")])
    }

    @Test("A block marked as last does not reset the context of later messages")
    func finalBlock() throws {
        var peer = EchoPeer(deflate: DeflateParameters(), pool: Self.pool(minimumSize: 1000))
        peer.take([
            TestFrame(reserved: 4, opcode: 1, payload: [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]),
            TestFrame(reserved: 4, opcode: 1, payload: [0xF2, 0x00, 0x11, 0x00, 0x00]),
        ])
        #expect(try peer.reply() == [.text("Hello"), .text("Hello")])
    }

    @Test(
        "A message may have 16 blocks marked as last; more end the connection with 1007, however short they are",
        arguments: [(1, true), (16, true), (17, false), (60, false), (500_000, false)], [true, false])
    func finalBlocks(blocks: (count: Int, pass: Bool), keepsContext: Bool) throws {
        var parameters = DeflateParameters()
        parameters.clientKeepsContext = keepsContext
        let pool = Self.pool(minimumSize: 1000)
        var peer = EchoPeer(deflate: parameters, pool: pool)
        let payload = Array(repeatElement([0x03, 0x00] as [UInt8], count: blocks.count).joined())
        peer.take([TestFrame(reserved: 4, opcode: 2, payload: payload)])
        if blocks.pass {
            #expect(try peer.reply() == [TestFrame(opcode: 2, payload: [])])
        } else {
            #expect(peer.ending?.code == .invalidPayload)
        }
        peer = EchoPeer(deflate: parameters, pool: pool)
        peer.take([TestFrame(reserved: 4, opcode: 1, payload: TestDeflate().deflated(Array("fine".utf8)))])
        #expect(peer.delivered == 1, "the loop's inflater serves on")
    }

    @Test("After an empty message that resets the context, the next one refers to nothing before it")
    func emptyBeginning() {
        let message = Self.slice(3000, 1)
        let deflater = Deflater()
        _ = deflater.compress(message, keepingContext: false)
        #expect(deflater.compress([], keepingContext: false) == [0])
        #expect(TestDeflate().inflated(deflater.compress(message, keepingContext: true)) == message)
    }
}
