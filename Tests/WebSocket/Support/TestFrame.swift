/// A frame as tests write and read it: a second implementation that can violate every rule.
struct TestFrame: Equatable, CustomStringConvertible {
    enum LengthForm { case shortest, sixteen, sixtyFour }

    var isFinal = true
    /// RSV1 is 4, RSV2 is 2, RSV3 is 1.
    var reserved: UInt8 = 0
    var opcode: UInt8
    var payload: [UInt8] = []

    static func text(_ payload: String, final isFinal: Bool = true) -> TestFrame {
        TestFrame(isFinal: isFinal, opcode: 1, payload: Array(payload.utf8))
    }
    static func binary(_ payload: [UInt8], final isFinal: Bool = true) -> TestFrame {
        TestFrame(isFinal: isFinal, opcode: 2, payload: payload)
    }
    static func more(_ payload: [UInt8], final isFinal: Bool = false) -> TestFrame {
        TestFrame(isFinal: isFinal, opcode: 0, payload: payload)
    }
    static func more(_ payload: String, final isFinal: Bool = false) -> TestFrame {
        more(Array(payload.utf8), final: isFinal)
    }
    static func close(_ code: Int? = nil, _ reason: [UInt8] = []) -> TestFrame {
        TestFrame(opcode: 8, payload: (code.map { [UInt8($0 >> 8), UInt8($0 & 255)] } ?? []) + reason)
    }
    static func ping(_ payload: [UInt8] = []) -> TestFrame { TestFrame(opcode: 9, payload: payload) }
    static func pong(_ payload: [UInt8] = []) -> TestFrame { TestFrame(opcode: 10, payload: payload) }

    func bytes(masked: Bool = true, length form: LengthForm = .shortest) -> [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        let mark: UInt8 = masked ? 0x80 : 0
        let count = payload.count
        switch form {
        case .shortest where count < 126: bytes.append(mark | UInt8(count))
        case .shortest where count < 65536, .sixteen: bytes += [mark | 126, UInt8(count >> 8), UInt8(count & 255)]
        default: bytes += [mark | 127] + (0..<8).reversed().map { UInt8(count >> ($0 * 8) & 255) }
        }
        guard masked else { return bytes + payload }
        // A key of zeros is valid, and fast for long payloads.
        if count > 1 << 18 { return bytes + [0, 0, 0, 0] + payload }
        let key = (0..<4).map { _ in UInt8.random(in: 0...255) }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// Parses all frames of a server, which must be unmasked with minimal lengths.
    static func all(in bytes: [UInt8]) throws -> [TestFrame] {
        var frames: [TestFrame] = []
        var rest = bytes[...]
        while rest.count >= 2 {
            let (first, second) = (rest.removeFirst(), rest.removeFirst())
            try require(second & 0x80 == 0, "a server's frame is masked")
            var count = Int(second)
            if count >= 126 {
                let size = count == 126 ? 2 : 8
                count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(size)
                try require(count >= (size == 2 ? 126 : 65536), "a length is not minimal")
            }
            try require(rest.count >= count, "a frame is cut off")
            frames.append(
                TestFrame(
                    isFinal: first & 0x80 != 0, reserved: first >> 4 & 7, opcode: first & 15,
                    payload: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        try require(rest.isEmpty, "a header is cut off")
        return frames
    }

    struct Malformed: Error { let reason: String }

    private static func require(_ condition: Bool, _ reason: String) throws {
        if !condition { throw Malformed(reason: reason) }
    }

    var description: String {
        "op \(opcode)\(isFinal ? "" : " part")\(reserved == 0 ? "" : " rsv \(reserved)") \(payload.count) B"
    }
}
