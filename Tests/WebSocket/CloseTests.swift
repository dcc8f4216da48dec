import Testing
import WebSocket

@Suite("Closing")
struct CloseTests {
    @Test("A close frame is answered with its code, after the answers to earlier frames")
    func echoesCode() throws {
        var peer = EchoPeer()
        peer.take([.text("last"), .close(1000, Array("bye".utf8))])
        #expect(try peer.reply() == [.text("last"), .close(1000)])
        let ending = try #require(peer.ending)
        #expect(ending.code == .normal && ending.reason == "bye" && ending.isClean)
    }

    @Test("An empty close frame is answered with an empty one")
    func empty() throws {
        var peer = EchoPeer()
        peer.take([.close()])
        #expect(try peer.reply() == [.close()])
        #expect(peer.ending?.code == .noStatus)
    }

    @Test("Nothing after a close frame is answered: a second one, a ping, text, fragments")
    func nothingAfter() throws {
        for late in [TestFrame.close(1000), .ping([1]), .text("late"), .more("late", final: true)] {
            var peer = EchoPeer()
            peer.take([.text("a", final: false), .close(1000), late])
            #expect(try peer.reply() == [.close(1000)])
            #expect(peer.delivered == 0)
            peer.take([late])
            #expect(try peer.reply() == [])
        }
    }

    @Test(
        "Valid close codes are accepted",
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
    func validCodes(code: Int) throws {
        var peer = EchoPeer()
        peer.take([.close(code)])
        #expect(try peer.reply() == [.close(code)])
        #expect(peer.ending?.isClean == true)
    }

    @Test(
        "Reserved close codes are a protocol error",
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535])
    func invalidCodes(code: Int) throws {
        var peer = EchoPeer()
        peer.take([.close(code)])
        #expect(peer.ending?.code == .protocolError)
        let reply = try peer.reply()
        #expect(reply.map(\.opcode) == [8] && reply.first?.payload.prefix(2) == [0x03, 0xEA])
    }

    @Test("A close frame of one byte is a protocol error, one of 125 is valid, one of 126 is an error")
    func lengths() {
        for (payload, code) in [(1, CloseCode.protocolError), (2, .normal), (125, .normal), (126, .protocolError)] {
            var peer = EchoPeer()
            let content = [0x03, 0xE8] + Array(repeating: UInt8(ascii: "x"), count: max(0, payload - 2))
            peer.take([TestFrame(opcode: 8, payload: Array(content.prefix(payload)))], chop: 1)
            #expect(peer.ending?.code == code)
        }
    }

    @Test("A reason that is not UTF-8 ends the connection with 1007")
    func reason() {
        for reason in [[0xCE, 0xBA, 0xE1], [0xED, 0xA0, 0x80], [0xFF]] as [[UInt8]] {
            var peer = EchoPeer()
            peer.take([.close(1000, reason)])
            #expect(peer.ending?.code == .invalidPayload)
        }
    }

    @Test("The closing side sends one close frame and nothing more, drops messages, and ends with the peer's answer")
    func closingHere() throws {
        var peer = EchoPeer()
        peer.change { machine in
            #expect(machine.close(.goingAway, reason: "restart") != nil)
            #expect(machine.close(.normal) == nil)
            #expect(machine.frame(of: .text("x")) == nil)
            #expect(machine.frame(of: SharedFrame(.text("x"))) == nil)
            #expect(machine.ping() == nil)
            #expect(!machine.isOpen && !machine.hasEnded)
        }
        peer.take([.text("crossing"), .ping([1]), .close(1001)])
        #expect(try peer.reply() == [])
        #expect(peer.delivered == 0)
        #expect(peer.ending?.code == .goingAway && peer.ending?.isClean == true)
    }

    @Test("A long reason is truncated at a character")
    func longReason() throws {
        var machine = WebSocketMachine(role: .server, limits: SizeLimits())
        let closing = machine.close(.normal, reason: String(repeating: "마", count: 60))
        let frame = try #require(closing)
        let frames = try TestFrame.all(in: frame)
        #expect(frames.first?.payload.count == 2 + 3 * 41)
        #expect(String(validating: frames[0].payload[2...], as: UTF8.self) != nil)
    }

    @Test("A lost connection ends once, as abnormal")
    func lost() {
        var machine = WebSocketMachine(role: .server, limits: SizeLimits())
        guard case .finish(let ending, nil) = machine.lost() else { return #expect(Bool(false), "it goes on") }
        #expect(ending.code == .abnormal && !ending.isClean)
        #expect(machine.lost() == nil)
    }
}
