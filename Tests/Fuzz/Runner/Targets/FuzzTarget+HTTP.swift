@testable import HTTP

extension FuzzTarget {
    /// A head is parsed the same however it is cut, and can be written and parsed again.
    static let httpHead = FuzzTarget { bytes in
        let whole = HeadReading(bytes)
        for cut in [1, bytes.count / 3, bytes.count / 2, bytes.count - 1] where cut > 0 && cut < bytes.count {
            require(HeadReading(bytes, cutAt: cut).isAlike(whole), "a head cut at \(cut) is not read back unchanged")
        }
        guard case .head(let length) = whole.outcome else { return }
        require(length <= bytes.count && length <= RequestLimits().head, "a head exceeds its limit")
        let head = bytes[..<length]
        for (index, byte) in head.enumerated() {
            if byte == 0x0A { require(index > 0 && head[index - 1] == 0x0D, "a bare LF went through") }
            if byte == 0x0D { require(index + 1 < length && head[index + 1] == 0x0A, "a bare CR went through") }
            require(byte >= 0x20 && byte != 0x7F || byte == 0x0D || byte == 0x0A || byte == 0x09, "a control character")
        }
        require(
            HeadReading(whole.written(bytes)).isAlike(whole, butLength: true),
            "what was written is not read back unchanged")
    }

    /// A body is the same however it is cut and however small the buffer is; the first byte selects the framing.
    static let httpBody = FuzzTarget { bytes in
        guard let first = bytes.first else { return }
        let framing = first % 2 == 0 ? HeadParts.Framing.chunked : .length(Int(first))
        let wire = Array(bytes.dropFirst())
        let whole = BodyReading(wire, framing, piece: max(1, wire.count), room: .max)
        for (piece, room) in [(1, Int.max), (1, 1), (7, 3), (wire.count, 5)] where piece > 0 {
            require(
                BodyReading(wire, framing, piece: piece, room: room) == whole,
                "a body differs when it is cut differently")
        }
        if case .length(let count) = framing { require(whole.body.count <= count, "the body exceeds its length") }
    }

    /// Fields, ranges, tags and paths are parsed without a trap, and results are within their input.
    static let httpFields = FuzzTarget { bytes in
        if case .part(let range) = ByteRange(bytes, size: 1000) {
            require(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= 1000, "a range exceeds its file")
        }
        for tag in EntityTag.list(bytes) {
            require(EntityTag.list(tag.text.utf8) == [tag], "a tag is not read back unchanged")
        }
        _ = bytes.withUnsafeBytes { HostRule.isValid($0) }
        var headers = Headers()
        headers.append("X-Fuzz", bytes)
        require(
            headers.lines.filter { $0 == 0x0A }.count == 1 && headers.count { _ in true } == 1, "a value adds a line")
        var router = Router<Int>()
        for (index, template) in ["/", "/a/{x}", "/a/b", "/{x}/{y}/c", "/s/{rest*}"].enumerated() {
            router.add(.get, template, index)
        }
        guard case .found(let match) = router.match(.get, bytes[...]) else { return }
        for name in ["x", "y"] {
            guard let part = match.parameters[name, in: bytes[...]] else { continue }
            require(!part.isEmpty && !part.contains(UInt8(ascii: "/")), "a parameter is not a segment")
        }
    }
}

/// The result of parsing one head.
private struct HeadReading {
    enum Outcome: Equatable {
        case head(Int)
        case incomplete
        case refused
    }

    var outcome: Outcome
    let parts: HeadParts
    let fields: [FieldLine]

    init(_ bytes: [UInt8], cutAt cut: Int? = nil) {
        var parser = RequestParser(limits: RequestLimits())
        outcome = .incomplete
        do {
            if let cut, let length = try bytes[..<cut].withUnsafeBytes({ try parser.parse($0) }) {
                outcome = .head(length)
            } else if let length = try bytes.withUnsafeBytes({ try parser.parse($0) }) {
                outcome = .head(length)
            }
        } catch {
            outcome = .refused
        }
        parts = parser.parts
        fields = parser.fields
    }

    func isAlike(_ other: HeadReading, butLength: Bool = false) -> Bool {
        switch (outcome, other.outcome) {
        case (.head(let length), .head(let otherLength)):
            (butLength || length == otherLength) && parts.framing == other.parts.framing
                && parts.method == other.parts.method && parts.keepsAlive == other.parts.keepsAlive
                && parts.expectsContinue == other.parts.expectsContinue && parts.path.count == other.parts.path.count
                && parts.query?.count == other.parts.query?.count && fields.count == other.fields.count
        // An invalid line that arrives in pieces is detected only when its end has arrived.
        case (.incomplete, .refused), (.refused, .incomplete): true
        default: outcome == other.outcome
        }
    }

    /// Writes the head again from its parsed parts.
    func written(_ bytes: [UInt8]) -> [UInt8] {
        var text = bytes[parts.methodToken.range] + [0x20] + bytes[parts.path.range]
        if let query = parts.query { text += [UInt8(ascii: "?")] + bytes[query.range] }
        text += Array(" HTTP/1.\(parts.minorVersion)\r\n".utf8)
        for field in fields {
            text += bytes[field.name.range] + Array(": ".utf8) + bytes[field.value.range] + [0x0D, 0x0A]
        }
        return Array(text + [0x0D, 0x0A])
    }
}

/// The result of parsing one body.
private struct BodyReading: Equatable {
    var body: [UInt8] = []
    var consumed = 0
    var isComplete = false
    var isRefused = false

    init(_ wire: [UInt8], _ framing: HeadParts.Framing, piece: Int, room: Int) {
        var decoder = BodyDecoder(framing, limits: RequestLimits())
        var offered = 0
        do {
            while !decoder.isComplete, consumed < wire.count {
                offered = min(wire.count, max(offered, consumed) + piece)
                var part: [UInt8] = []
                let count = try wire[consumed..<offered].withUnsafeBytes {
                    try decoder.decode($0, into: &part, room: room)
                }
                require(part.count <= room && count > 0, "there is space and input, but nothing was consumed")
                body += part
                consumed += count
            }
            isComplete = decoder.isComplete
        } catch {
            // The offset at which an error is detected depends on the pieces; the error itself does not.
            isRefused = true
            body = []
            consumed = 0
        }
    }
}
