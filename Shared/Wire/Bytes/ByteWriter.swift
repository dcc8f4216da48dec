/// Builds a body, a head or a frame by appending bytes.
public struct ByteWriter: Sendable, Hashable {
    /// The bytes written so far.
    public var bytes: [UInt8]

    /// - Parameter capacity: the number of bytes to reserve.
    public init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Continues after `bytes`, without copying them if the caller gives up its reference.
    public init(continuing bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    public var count: Int { bytes.count }
    public var isEmpty: Bool { bytes.isEmpty }

    /// Reserves space for `count` more bytes.
    public mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count)
    }

    /// Returns the bytes and starts again, empty.
    public mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Removes the bytes and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    @inlinable
    public mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    public mutating func append(_ text: String) {
        append(text.utf8.span)
    }

    public mutating func append(_ text: Substring) {
        append(text.utf8.span)
    }

    public mutating func append(_ scalar: Unicode.Scalar) {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    public mutating func append(_ other: [UInt8]) {
        bytes.append(contentsOf: other)
    }

    public mutating func append(_ other: ArraySlice<UInt8>) {
        bytes.append(contentsOf: other)
    }

    public mutating func append(_ span: Span<UInt8>) {
        span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    public mutating func append(_ span: RawSpan) {
        span.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    public mutating func append(_ buffer: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: buffer)
    }

    /// Appends at most `count` bytes that `initialize` writes in place.
    @inline(__always)
    mutating func append(atMost count: Int, _ initialize: (inout OutputSpan<UInt8>) -> Void) {
        bytes.append(addingCapacity: count, initializingWith: initialize)
    }
}
