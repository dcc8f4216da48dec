/// The header fields of a reply, or of a request to be sent, as a text of `Name: value` lines.
///
/// A value can never end its line: control characters become spaces.
public struct Headers: Sendable {
    /// The lines, each with its CRLF.
    private(set) var lines: [UInt8] = []
    /// Whether the lines may hold a field that only the server may write.
    private(set) var mayHoldFraming = false

    /// Passes the lines of all fields except Connection, Content-Length and Transfer-Encoding to `body`.
    func withoutFraming<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard mayHoldFraming else { return lines.withUnsafeBytes(body) }
        var others = self
        for name in [HeaderName.connection, .contentLength, .transferEncoding] { others.remove(name) }
        return others.lines.withUnsafeBytes(body)
    }

    /// No fields.
    public init() {}

    /// One field, given as its line with the CRLF; not one that only the server may write.
    init(line: StaticString) {
        lines.append(addingCapacity: Self.usualSize) { $0.append(line) }
    }

    /// Most replies have a few short fields.
    private static let usualSize = 96

    /// Whether there is no field.
    public var isEmpty: Bool { lines.isEmpty }

    /// Adds a field after the others, and keeps earlier ones of the same name.
    public mutating func append(_ name: HeaderName, _ value: StaticString) {
        value.withUTF8Buffer { append(name, UnsafeRawBufferPointer($0)) }
    }

    /// Adds a field after the others, and keeps earlier ones of the same name.
    public mutating func append(_ name: HeaderName, _ value: String) {
        var value = value
        value.withUTF8 { append(name, UnsafeRawBufferPointer($0)) }
    }

    /// Adds a field after the others, and keeps earlier ones of the same name.
    public mutating func append(_ name: HeaderName, _ value: some Collection<UInt8>) {
        let isDone: Void? = value.withContiguousStorageIfAvailable { append(name, UnsafeRawBufferPointer($0)) }
        if isDone == nil { append(name, Array(value)) }
    }

    /// Adds a field with a decimal number as its value.
    public mutating func append(_ name: HeaderName, _ value: Int) { append(name, String(value)) }

    /// Adds a line of a received head; a line that is not a field is skipped.
    mutating func append(received line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Token.isValid(line[..<colon]) else { return }
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let value = line[(colon + 1)...].drop(while: isBlank)
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
        append(
            name: UnsafeRawBufferPointer(rebasing: line[..<colon]),
            value: UnsafeRawBufferPointer(rebasing: value[..<end]))
    }

    private mutating func append(_ name: HeaderName, _ value: UnsafeRawBufferPointer) {
        name.withBytes { append(name: $0, value: value) }
    }

    mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let size = name.count + value.count + 4
        lines.append(addingCapacity: lines.isEmpty ? Swift.max(Self.usualSize, size) : size) { out in
            out.append(name)
            out.append(": ")
            if FieldValue.end(in: value, from: 0) == value.count {
                out.append(value)
            } else {
                for byte in value { out.append(Token.isValueByte(byte) ? byte : 0x20) }
            }
            out.append("\r\n")
        }
        // Comparing the lengths of Connection, Content-Length and Transfer-Encoding is enough for a first check.
        switch name.count {
        case 10, 14, 17: mayHoldFraming = true
        default: break
        }
    }

    /// Replaces all fields of this name with one field.
    public mutating func set(_ name: HeaderName, _ value: String) {
        remove(name)
        append(name, value)
    }

    /// Removes all fields of this name.
    public mutating func remove(_ name: HeaderName) {
        for range in ranges(of: name).reversed() { lines.removeSubrange(range.line) }
    }

    /// The value of the first field of this name.
    public subscript(_ name: HeaderName) -> String? {
        ranges(of: name).first.map { String(decoding: lines[$0.value], as: UTF8.self) }
    }

    /// The values of all fields of this name, in order.
    public func all(_ name: HeaderName) -> [String] {
        ranges(of: name).map { String(decoding: lines[$0.value], as: UTF8.self) }
    }

    /// Whether there is a field of this name.
    public func contains(_ name: HeaderName) -> Bool { !ranges(of: name).isEmpty }

    private func ranges(of name: HeaderName) -> [(line: Range<Int>, value: Range<Int>)] {
        name.withBytes { wanted in
            lines.withUnsafeBytes { bytes in
                var found: [(line: Range<Int>, value: Range<Int>)] = []
                var start = 0
                while let end = bytes.find(0x0A, from: start) {
                    let valueStart = start + wanted.count + 2
                    if valueStart < end, bytes[valueStart - 2] == UInt8(ascii: ":"),
                        equalIgnoringCase(UnsafeRawBufferPointer(rebasing: bytes[start..<(valueStart - 2)]), wanted)
                    {
                        found.append((start..<(end + 1), valueStart..<(end - 1)))
                    }
                    start = end + 1
                }
                return found
            }
        }
    }
}

extension Headers: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (HeaderName, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension Headers: Sequence {
    /// The names as they were written, and the values, in order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        lines.split(separator: 0x0A).lazy.map { line in
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            return (
                name: String(decoding: line[..<colon], as: UTF8.self),
                value: String(decoding: line[(colon + 2)...].dropLast(), as: UTF8.self)
            )
        }.makeIterator()
    }
}
