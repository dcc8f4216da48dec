/// Parses a body of `multipart/form-data` (RFC 7578) as it arrives. It holds at most the last chunk and one part's
/// headers.
///
///     var parser = MultipartParser(boundary: boundary)
///     for try await chunk in body {
///         parser.append(chunk)
///         while let event = try parser.next() { … }
///     }
///     try parser.finish()
public struct MultipartParser: Sendable {
    private enum State {
        /// Before the first boundary, which must come first in the body.
        case start
        /// After the characters of a boundary.
        case boundary
        case headers
        /// In a part's content, of which `length` bytes have been returned.
        case content(isFile: Bool, length: Int)
        /// After the last boundary: the rest is ignored.
        case epilogue
    }

    private let limits: MultipartLimits
    /// The bytes that end a part's content.
    private let delimiter: [UInt8]
    private var state = State.start
    private var buffer: [UInt8] = []
    /// The offset in the buffer of the first byte that has not been parsed.
    private var position = 0
    private var parts = 0

    public init(boundary: String, limits: MultipartLimits = MultipartLimits()) {
        self.limits = limits
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Adds the next chunk of the body. Take all events of the last chunk first.
    public mutating func append(_ chunk: [UInt8]) {
        if position == buffer.count {
            buffer = chunk
        } else if position == 0 {
            buffer += chunk
        } else {
            buffer = buffer[position...] + chunk
        }
        position = 0
    }

    /// Returns the next event; nil if it needs more of the body. Do not call this again after an error.
    public mutating func next() throws(MultipartError) -> MultipartEvent? {
        while true {
            switch state {
            case .start:
                guard try skipFirstBoundary() else { return nil }
            case .boundary:
                guard try skipBoundaryEnd() else { return nil }
            case .headers:
                return try part().map(MultipartEvent.begin)
            case .content(let isFile, let length):
                return try content(isFile: isFile, length: length)
            case .epilogue:
                position = buffer.count
                return nil
            }
        }
    }

    /// Marks the end of the body; throws if its last boundary is missing.
    public func finish() throws(MultipartError) {
        guard case .epilogue = state else { throw .incomplete }
    }

    /// The first boundary has no line end before it, but some clients begin with an empty line.
    private mutating func skipFirstBoundary() throws(MultipartError) -> Bool {
        let bytes = buffer[position...]
        let expected = bytes.first == UInt8(ascii: "\r") ? delimiter[...] : delimiter[2...]
        guard bytes.prefix(expected.count).elementsEqual(expected.prefix(bytes.count)) else {
            throw .malformedBoundary
        }
        guard bytes.count >= expected.count else { return false }
        position += expected.count
        state = .boundary
        return true
    }

    /// A boundary is followed by `--` if it is the last one, else by the end of the line, with optional blanks before
    /// it.
    private mutating func skipBoundaryEnd() throws(MultipartError) -> Bool {
        var index = position
        while index < buffer.count, buffer[index] == 0x20 || buffer[index] == 0x09 { index += 1 }
        guard index - position <= delimiter.count else { throw .malformedBoundary }
        guard index + 2 <= buffer.count else { return false }
        switch (buffer[index], buffer[index + 1]) {
        case (UInt8(ascii: "-"), UInt8(ascii: "-")) where index == position:
            state = .epilogue
        case (UInt8(ascii: "\r"), UInt8(ascii: "\n")):
            guard parts < limits.parts else { throw .tooManyParts }
            parts += 1
            state = .headers
        default:
            throw .malformedBoundary
        }
        position = index + 2
        return true
    }

    private mutating func part() throws(MultipartError) -> MultipartPart? {
        let bytes = buffer[position...]
        guard !bytes.starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]) else { throw .malformedHeader }
        guard let end = bytes.span.endOfHeaders else {
            // The four bytes that end the headers may have arrived in part.
            guard bytes.count < limits.headerBytes + 4 else { throw .headerTooLarge }
            return nil
        }
        guard end <= limits.headerBytes else { throw .headerTooLarge }
        guard let part = MultipartPart(headers: bytes.span.extracting(..<end)) else { throw .malformedHeader }
        position += end + 4
        state = .content(isFile: part.fileName != nil, length: 0)
        return part
    }

    private mutating func content(isFile: Bool, length: Int) throws(MultipartError) -> MultipartEvent? {
        let found = buffer.span.firstOccurrence(of: delimiter.span, from: position)
        guard found.offset > position else {
            guard found.isWhole else { return nil }
            position += delimiter.count
            state = .boundary
            return .end
        }
        let data = buffer[position..<found.offset]
        guard data.count <= (isFile ? limits.fileBytes : limits.fieldBytes) - length else {
            throw isFile ? .fileTooLarge : .fieldTooLarge
        }
        position = found.offset
        state = .content(isFile: isFile, length: length + data.count)
        return .data(data)
    }
}
