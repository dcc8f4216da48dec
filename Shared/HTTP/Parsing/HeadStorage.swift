internal import EventLoop

/// One copy of a head's bytes, where in it the fields stand, and what else belongs to the request.
///
/// - Note: `@unchecked Sendable` because the connection fills it before anybody else sees it,
///   and fills it anew only when nobody else refers to it.
@usableFromInline final class HeadStorage: @unchecked Sendable {
    /// Where a field's name and value stand.
    struct Field {
        var name: HeadRange
        var value: HeadRange
    }

    @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private(set) var fields: [Field] = []
    @exclusivity(unchecked) private(set) var parts = HeadParts()
    @exclusivity(unchecked) private(set) var body = RequestBody()
    @exclusivity(unchecked) private(set) var receivedAt: UInt64 = 0
    @exclusivity(unchecked) private(set) var socket: StreamSocket?

    init() {
        bytes.reserveCapacity(512)
        fields.reserveCapacity(16)
    }

    /// Takes the head's bytes, and the fields that were found in them; `parsed` gets the memory of earlier ones.
    func fill(_ head: UnsafeRawBufferPointer, _ parsed: inout [Field]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: head)
        swap(&fields, &parsed)
    }

    /// Says what else belongs to the request; before anybody else sees it.
    func complete(_ parts: HeadParts, _ body: RequestBody, receivedAt: UInt64, _ socket: StreamSocket?) {
        self.parts = parts
        self.body = body
        self.receivedAt = receivedAt
        self.socket = socket
    }

    /// Lets go of what another request has no use for.
    func release() {
        body = RequestBody()
        socket = nil
    }

    /// Whether keeping it for another head holds no more memory than an ordinary head needs.
    var isSmall: Bool { bytes.capacity <= 4096 && fields.capacity <= 64 }

    /// Lets `body` look at the path where it stands.
    func withPath<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body($0[parts.path]) }
    }

    /// The value of the first field of this name, which stays where it is as long as the request.
    @usableFromInline func value(of name: HeaderName) -> UnsafeRawBufferPointer? {
        guard let index = firstField(name) else { return nil }
        return bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[fields[index].value.range]) }
    }

    /// The place of the first field of this name at or behind `start`.
    func firstField(_ name: HeaderName, from start: Int = 0) -> Int? {
        name.withBytes { wanted in
            bytes.withUnsafeBytes { bytes in
                for index in start..<fields.count where fields[index].name.count == wanted.count {
                    let found = UnsafeRawBufferPointer(rebasing: bytes[fields[index].name.range])
                    if equalIgnoringCase(found, wanted) { return index }
                }
                return nil
            }
        }
    }
}

/// Whether two runs of ASCII of the same length differ in the case of letters at most.
@inline(__always)
func equalIgnoringCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    // Most are written alike.
    var same = 0
    while same + 8 <= left.count, EightBytes(left, at: same) == EightBytes(right, at: same) { same += 8 }
    for index in same..<left.count {
        let (a, b) = (left[index], right[index])
        if a != b {
            let folded = a | 0x20
            guard folded == b | 0x20, folded >= UInt8(ascii: "a"), folded <= UInt8(ascii: "z") else { return false }
        }
    }
    return true
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are these, in any case; `lowercase` is in lower case.
    @inline(__always)
    func `is`(_ lowercase: StaticString) -> Bool {
        guard count == lowercase.utf8CodeUnitCount else { return false }
        return equalIgnoringCase(self, UnsafeRawBufferPointer(start: lowercase.utf8Start, count: count))
    }

    /// A part of the bytes, by its place.
    @inline(__always)
    subscript(_ range: HeadRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range.range])
    }
}
