import TestSupport
import Testing

@testable import HTTP

@Suite struct BodyDecoderTests {
    /// Decodes `pieces`, offered one after the other with little room; returns the body and the unconsumed bytes.
    private static func decode(
        _ framing: HeadParts.Framing, _ pieces: [ArraySlice<UInt8>], room: Int
    ) throws(Refusal) -> (body: [UInt8], left: [UInt8], isComplete: Bool) {
        var decoder = BodyDecoder(framing, limits: RequestLimits())
        var body: [UInt8] = []
        var waiting: [UInt8] = []
        for piece in pieces {
            waiting += piece
            while !waiting.isEmpty {
                var part: [UInt8] = []
                let consumed: Int
                do {
                    consumed = try waiting.withUnsafeBytes { try decoder.decode($0, into: &part, room: room) }
                } catch {
                    throw error as? Refusal ?? .malformed
                }
                #expect(part.count <= room)
                body += part
                waiting.removeFirst(consumed)
                if consumed == 0 || decoder.isComplete { break }
            }
        }
        return (body, waiting, decoder.isComplete)
    }

    @Test("A body is decoded alike however it is cut, and the bytes after it are left", arguments: 0..<40)
    func cuts(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let body = (0..<Int.random(in: 1...2000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let isChunked = seed % 2 == 0
        var wire: [UInt8] = []
        if isChunked {
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...300, using: &random))
                let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
                let size = String(piece.count, radix: 16, uppercase: Bool.random(using: &random))
                let ending = Bool.random(using: &random) ? ";name=\"value\";x" : ""
                wire += Array("\(zeros)\(size)\(ending)\r\n".utf8) + piece + [13, 10]
                rest = rest.dropFirst(piece.count)
            }
            wire += Array((Bool.random(using: &random) ? "0\r\n\r\n" : "000;a\r\nTrailer: x\r\nAnother:\r\n\r\n").utf8)
        } else {
            wire = body
        }
        let next = Array("GET / HTTP/1.1\r\n".utf8)
        let all = wire + next
        var pieces: [ArraySlice<UInt8>] = []
        var position = 0
        while position < all.count {
            let end = min(all.count, position + Int.random(in: 1...seedSize(seed), using: &random))
            pieces.append(all[position..<end])
            position = end
        }
        let result = try Self.decode(
            isChunked ? .chunked : .length(body.count), pieces, room: Int.random(in: 1...500, using: &random))
        #expect(result.body == body && result.left == next && result.isComplete)
    }

    private func seedSize(_ seed: UInt64) -> Int { seed % 3 == 0 ? 1 : 700 }

    @Test("The remaining length is known for Content-Length and unknown for chunks")
    func remaining() throws {
        var decoder = BodyDecoder(.length(10), limits: RequestLimits())
        var body: [UInt8] = []
        _ = try [1, 2, 3].withUnsafeBytes { try decoder.decode($0, into: &body, room: 100) }
        #expect(decoder.remaining == 10 - 3 * MemoryLayout<Int>.size || decoder.remaining == 0)
        #expect(BodyDecoder(.chunked, limits: RequestLimits()).remaining == nil)
        let none = BodyDecoder(.none, limits: RequestLimits())
        #expect(none.isComplete && none.remaining == 0)
    }

    @Test("Without room no data is consumed")
    func noRoom() throws {
        var decoder = BodyDecoder(.length(10), limits: RequestLimits())
        var body: [UInt8] = []
        #expect(try [UInt8(1)].withUnsafeBytes { try decoder.decode($0, into: &body, room: 0) } == 0)
    }

    @Test("A body's time limit starts at the grace period and grows with its bytes, up to one grace period from now")
    func clock() {
        let second: UInt64 = 1_000_000_000
        var clock = BodyClock(now: 100 * second, grace: 10 * second, rate: 1000)
        #expect(!clock.isOver(now: 110 * second - 1) && clock.isOver(now: 110 * second))
        clock.received(2000, now: 104 * second)
        #expect(clock.deadline == 112 * second)
        clock.received(1_000_000, now: 105 * second)
        #expect(clock.deadline == 115 * second)
        clock.hold(now: 110 * second)
        #expect(!clock.isOver(now: 500 * second) && clock.nextCheck == .max)
        clock.release(now: 510 * second)
        #expect(clock.deadline == 515 * second && clock.nextCheck == 515 * second)
    }
}
