/// Checks a text against RFC 8259 and records the offsets of its values.
struct JSONParser {
    /// The deepest nesting that recursion can handle; it also bounds the limit that the caller gives.
    static let greatestDepth = 512

    var position = 0
    private var document: JSONDocument
    /// The name of the next value, if it is a member.
    private var name = JSONNode.Name()
    private let maximumDepth: Int

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        document = JSONDocument(bytes, capacity: bytes.count / 32 + 8)
        self.maximumDepth = min(maximumDepth, Self.greatestDepth)
    }

    static func parse(_ bytes: [UInt8], maximumDepth: Int) throws(JSONError) -> JSONDocument {
        guard bytes.count < Int(Int32.max) else { throw JSONError(reason: .tooLong, offset: 0) }
        var parser = JSONParser(bytes, maximumDepth: maximumDepth)
        try parser.parse(bytes.span)
        return parser.document
    }

    private mutating func parse(_ input: Span<UInt8>) throws(JSONError) {
        skipWhitespace(input)
        try parseValue(input, depth: 0)
        skipWhitespace(input)
        guard position == input.count else { throw error(.trailingBytes) }
    }

    private mutating func parseValue(_ input: Span<UInt8>, depth: Int) throws(JSONError) {
        switch try peek(input) {
        case UInt8(ascii: "\""): try parseString(input)
        case UInt8(ascii: "{"): try parseObject(input, depth: depth + 1)
        case UInt8(ascii: "["): try parseArray(input, depth: depth + 1)
        case UInt8(ascii: "t"): try parseLiteral(input, "true", .true)
        case UInt8(ascii: "f"): try parseLiteral(input, "false", .false)
        case UInt8(ascii: "n"): try parseLiteral(input, "null", .null)
        default: try parseNumber(input)
        }
    }

    private mutating func parseObject(_ input: Span<UInt8>, depth: Int) throws(JSONError) {
        let container = try open(.object, depth: depth)
        skipWhitespace(input)
        if try peek(input) == UInt8(ascii: "}") { return close(container) }
        while true {
            guard try peek(input) == UInt8(ascii: "\"") else { throw error(.unexpectedByte) }
            name = try parseName(input)
            skipWhitespace(input)
            guard try peek(input) == UInt8(ascii: ":") else { throw error(.unexpectedByte) }
            position &+= 1
            skipWhitespace(input)
            // Most values are strings; parsing them here, without a call, takes a tenth less time.
            if try peek(input) == UInt8(ascii: "\"") {
                try parseString(input)
            } else {
                try parseValue(input, depth: depth)
            }
            skipWhitespace(input)
            let byte = try peek(input)
            if byte == UInt8(ascii: "}") { return close(container) }
            guard byte == UInt8(ascii: ",") else { throw error(.unexpectedByte) }
            position &+= 1
            skipWhitespace(input)
        }
    }

    private mutating func parseArray(_ input: Span<UInt8>, depth: Int) throws(JSONError) {
        let container = try open(.array, depth: depth)
        skipWhitespace(input)
        if try peek(input) == UInt8(ascii: "]") { return close(container) }
        while true {
            try parseValue(input, depth: depth)
            skipWhitespace(input)
            let byte = try peek(input)
            if byte == UInt8(ascii: "]") { return close(container) }
            guard byte == UInt8(ascii: ",") else { throw error(.unexpectedByte) }
            position &+= 1
            skipWhitespace(input)
        }
    }

    private mutating func open(_ kind: JSONNode.Kind, depth: Int) throws(JSONError) -> Int {
        guard depth <= maximumDepth else { throw error(.tooDeep) }
        note(kind, from: position, to: position)
        position &+= 1
        return document.count - 1
    }

    private mutating func close(_ container: Int) {
        position &+= 1
        document[container].end = UInt32(truncatingIfNeeded: position)
        document[container].next = UInt32(truncatingIfNeeded: document.count)
    }

    private mutating func parseLiteral(
        _ input: Span<UInt8>, _ text: StaticString, _ kind: JSONNode.Kind
    ) throws(JSONError) {
        let start = position
        for offset in 0..<text.utf8CodeUnitCount {
            guard try peek(input) == text.utf8Start[offset] else { throw error(.unexpectedByte) }
            position &+= 1
        }
        note(kind, from: start, to: position)
    }

    @inline(__always)
    mutating func note(_ kind: JSONNode.Kind, from start: Int, to end: Int) {
        document.append(
            JSONNode(
                kind: kind,
                name: name,
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: document.count + 1)
            )
        )
        name = JSONNode.Name()
    }

    @inline(__always)
    func peek(_ input: Span<UInt8>) throws(JSONError) -> UInt8 {
        guard position < input.count else { throw error(.incomplete) }
        return input[position]
    }

    @inline(__always)
    private mutating func skipWhitespace(_ input: Span<UInt8>) {
        while position < input.count, input[position] <= 0x20 {
            switch input[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position &+= 1
            default: return
            }
        }
    }

    func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}
