import Testing
import WebSocket

@Suite("Pings and pongs")
struct ControlFrameTests {
    @Test("A ping is answered with its payload", arguments: [0, 1, 124, 125])
    func ping(length: Int) throws {
        let payload = (0..<length).map { UInt8(255 - $0) }
        for chop in [1, .max] {
            var peer = EchoPeer()
            peer.take([.ping(payload)], chop: chop)
            #expect(try peer.reply() == [.pong(payload)])
        }
    }

    @Test("Each of many pings is answered, in order")
    func manyPings() throws {
        var peer = EchoPeer()
        peer.take((0..<10).map { .ping([$0]) })
        #expect(try peer.reply() == (0..<10).map { .pong([$0]) })
    }

    @Test("A control frame of more than 125 bytes ends the connection", arguments: [8, 9, 10] as [UInt8])
    func tooLong(opcode: UInt8) throws {
        var peer = EchoPeer()
        peer.take([TestFrame(opcode: opcode, payload: Array(repeating: 0xFE, count: 126))])
        #expect(peer.ending?.code == .protocolError)
        #expect(try peer.reply().map(\.opcode) == [8])
    }

    @Test("A fragmented control frame ends the connection", arguments: [8, 9, 10] as [UInt8])
    func fragmented(opcode: UInt8) throws {
        var peer = EchoPeer()
        peer.take([TestFrame(isFinal: false, opcode: opcode), .more([], final: true)])
        #expect(peer.ending?.code == .protocolError)
        #expect(try peer.reply().map(\.opcode) == [8])
    }

    @Test("An unsolicited pong is accepted without a reply")
    func unsolicitedPong() throws {
        var peer = EchoPeer()
        peer.take([.pong(), .pong([1, 2]), .ping([3])])
        #expect(try peer.reply() == [.pong([3])])
        #expect(peer.pongs == [[], [1, 2]])
    }

    @Test("Control frames between the fragments of a message are answered at once, and the message stays whole")
    func betweenFragments() throws {
        for chop in [1, .max] {
            var peer = EchoPeer()
            peer.take([.text("frag", final: false), .ping([1]), .more("ment"), .ping([2])], chop: chop)
            #expect(try peer.reply() == [.pong([1]), .pong([2])])
            peer.take([.pong(), .more("s", final: true)], chop: chop)
            #expect(try peer.reply() == [.text("fragments")])
        }
    }

    @Test("Fragments are joined, with empty ones")
    func fragments() throws {
        var peer = EchoPeer()
        peer.take([.text("", final: false), .more(""), .more("a"), .more(""), .more("b", final: true)])
        peer.take([.text("", final: false), .more(""), .more("", final: true)])
        #expect(try peer.reply() == [.text("ab"), .text("")])
    }

    @Test("A continuation without a message ends the connection", arguments: [true, false])
    func continuationOfNothing(isFinal: Bool) {
        var peer = EchoPeer()
        peer.take([.more("x", final: isFinal), .text("never")])
        #expect(peer.ending?.code == .protocolError)
        #expect(peer.delivered == 0)

        peer = EchoPeer()
        peer.take([.text("a", final: false), .more("b", final: true), .more("c", final: isFinal)])
        #expect(peer.ending?.code == .protocolError)
        #expect(peer.delivered == 1)
    }

    @Test("A message within a message ends the connection")
    func messageWithinMessage() {
        var peer = EchoPeer()
        peer.take([.text("a", final: false), .text("b")])
        #expect(peer.ending?.code == .protocolError)
        #expect(peer.delivered == 0)
    }
}
