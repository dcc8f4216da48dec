import Testing
import WebSocket

@Suite("Size limits")
struct SizeLimitTests {
    private let limits = SizeLimits(message: 1000, frame: 600)

    @Test("A message up to the limit passes")
    func upToLimit() throws {
        var peer = EchoPeer(limits: limits)
        let half = Array(repeating: UInt8(1), count: 500)
        peer.take([.binary(half, final: false), .more(half, final: true)])
        #expect(try peer.reply() == [.binary(half + half)])
    }

    @Test("A frame above the limit is refused by its header alone")
    func frameTooLong() throws {
        var peer = EchoPeer(limits: limits)
        let bytes = TestFrame.binary(Array(repeating: 1, count: 601)).bytes()
        peer.take(Array(bytes[..<8]))
        #expect(peer.ending?.code == .messageTooBig)
    }

    @Test("Fragments above the limit together are refused by the last one's header")
    func messageTooLong() throws {
        var peer = EchoPeer(limits: limits)
        let half = Array(repeating: UInt8(1), count: 500)
        peer.take([.binary(half, final: false), .more([], final: false)])
        #expect(peer.ending == nil)
        peer.take(Array(TestFrame.more(half + [1], final: true).bytes()[..<8]))
        #expect(peer.ending?.code == .messageTooBig)
        #expect(try peer.reply().map(\.opcode) == [8])
    }

    @Test("A length near the largest integer does not overflow")
    func largestLength() {
        var peer = EchoPeer(limits: limits)
        peer.take([.binary([1], final: false)])
        peer.take([0x80, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4])
        #expect(peer.ending?.code == .messageTooBig)
    }

    @Test(
        "A long message comes back, in one frame or in thousands of fragments",
        arguments: [(256 << 10, 64), (2 << 20, 4096), (16 << 20, 16 << 20)])
    func large(length: Int, fragment: Int) throws {
        var payload = [UInt8](repeating: 0, count: length)
        for index in stride(from: 0, to: payload.count, by: 1024) { payload[index] = UInt8(index >> 10 & 255) }
        var peer = EchoPeer()
        var start = 0
        while start < payload.count {
            let end = min(start + fragment, payload.count)
            peer.take([
                TestFrame(
                    isFinal: end == payload.count, opcode: start == 0 ? 2 : 0, payload: Array(payload[start..<end]))
            ])
            start = end
        }
        #expect(try peer.reply() == [.binary(payload)])
    }
}
