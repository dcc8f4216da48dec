/// Finds the end of a request's body and decodes chunks; trailers are discarded.
struct BodyDecoder {
    private enum State {
        case length(Int)
        case sizeStart
        case size(Int, digits: Int)
        case chunkExtension(Int, length: Int)
        case sizeLineFeed(Int)
        case data(Int)
        case dataReturn
        case dataLineFeed
        case trailerStart
        case trailer
        case trailerLineFeed
        case lastLineFeed
        case complete
    }

    private var state: State
    private var trailerLength = 0
    private let limits: RequestLimits
    /// 60 bits; a larger size is malformed.
    private static let mostSizeDigits = 15

    init(_ framing: HeadParts.Framing, limits: RequestLimits) {
        self.limits = limits
        state =
            switch framing {
            case .none: .complete
            case .length(let count): .length(count)
            case .chunked: .sizeStart
            }
    }

    /// Whether the body's last byte has been consumed.
    var isComplete: Bool { if case .complete = state { true } else { false } }

    /// The bytes still to come; nil for a chunked body, whose length is unknown.
    var remaining: Int? {
        switch state {
        case .length(let count): count
        case .complete: 0
        default: nil
        }
    }

    /// Appends at most `room` bytes of the body to `output`.
    ///
    /// - Returns: the number of `bytes` that were consumed.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8], room: Int
    ) throws(Refusal) -> Int {
        var position = 0
        var room = room
        while position < bytes.count {
            let left: Int
            switch state {
            case .complete: return position
            case .length(let count), .data(let count): left = count
            default:
                state = try next(bytes[position])
                position += 1
                continue
            }
            let count = min(left, room, bytes.count - position)
            guard count > 0 else { return position }
            output.append(contentsOf: bytes[position..<(position + count)])
            position += count
            room -= count
            if case .length = state {
                state = count == left ? .complete : .length(left - count)
            } else {
                state = count == left ? .dataReturn : .data(left - count)
            }
        }
        return position
    }

    /// Returns the state after one byte of a chunk's frame or of a trailer.
    private mutating func next(_ byte: UInt8) throws(Refusal) -> State {
        switch state {
        case .sizeStart:
            guard let digit = Self.hexadecimal(byte) else { throw .malformed }
            return .size(digit, digits: 1)
        case .size(let size, let digits):
            if let digit = Self.hexadecimal(byte) {
                guard digits < Self.mostSizeDigits else { throw .malformed }
                return .size(size << 4 | digit, digits: digits + 1)
            }
            if byte == UInt8(ascii: ";") { return .chunkExtension(size, length: 1) }
            try expect(byte, 0x0D)
            return .sizeLineFeed(size)
        case .chunkExtension(let size, let length):
            if byte == 0x0D { return .sizeLineFeed(size) }
            guard Token.isValueByte(byte), length < limits.chunkExtension else { throw .malformed }
            return .chunkExtension(size, length: length + 1)
        case .sizeLineFeed(let size):
            try expect(byte, 0x0A)
            return size == 0 ? .trailerStart : .data(size)
        case .dataReturn:
            try expect(byte, 0x0D)
            return .dataLineFeed
        case .dataLineFeed:
            try expect(byte, 0x0A)
            return .sizeStart
        case .trailerStart:
            if byte == 0x0D { return .lastLineFeed }
            guard Token.isTokenByte(byte) else { throw .malformed }
            return try trailer()
        case .trailer:
            if byte == 0x0D { return .trailerLineFeed }
            guard Token.isValueByte(byte) else { throw .malformed }
            return try trailer()
        case .trailerLineFeed:
            try expect(byte, 0x0A)
            return .trailerStart
        case .lastLineFeed:
            try expect(byte, 0x0A)
            return .complete
        case .length, .data, .complete:
            return state
        }
    }

    private mutating func trailer() throws(Refusal) -> State {
        trailerLength += 1
        guard trailerLength <= limits.trailer else { throw .headersTooLarge }
        return .trailer
    }

    private func expect(_ byte: UInt8, _ wanted: UInt8) throws(Refusal) {
        guard byte == wanted else { throw .malformed }
    }

    private static func hexadecimal(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte & 15)
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte & 15) + 9
        default: nil
        }
    }
}
