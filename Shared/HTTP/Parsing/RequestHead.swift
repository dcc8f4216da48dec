/// A parsed head: one copy of its bytes, and where in it everything stands.
///
/// - Note: `@unchecked Sendable` because the parser fills it before anybody else sees it, and the connection fills it anew
///   only when nobody else refers to it.
final class RequestHead: @unchecked Sendable {
    /// Where a field's name and value stand in `bytes`.
    struct Field {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// How the end of the body is found.
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var bytes: [UInt8] = []
    var fields: [Field] = []
    var method = Method.other
    var methodToken = 0..<0
    /// The path as it was sent.
    var path = 0..<0
    /// What follows the first `?`, without it; nil where there is none.
    var query: Range<Int>?
    /// The value of Host, or of an absolute target.
    var host = 0..<0
    /// 0 or 1.
    var minorVersion: UInt8 = 1
    var framing = Framing.none
    var keepsAlive = true
    var expectsContinue = false

    func reset() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        method = .other
        methodToken = 0..<0
        path = 0..<0
        query = nil
        host = 0..<0
        minorVersion = 1
        framing = .none
        keepsAlive = true
        expectsContinue = false
    }

    /// The place of the first field of this name at or behind `start`.
    func firstField(_ name: HeaderName, from start: Int = 0) -> Int? {
        var text = name.text
        return text.withUTF8 { wanted in
            bytes.withUnsafeBytes { bytes in
                for index in start..<fields.count {
                    let found = fields[index].name
                    if found.count == wanted.count,
                        equalIgnoringCase(
                            UnsafeRawBufferPointer(rebasing: bytes[found]), UnsafeRawBufferPointer(wanted))
                    {
                        return index
                    }
                }
                return nil
            }
        }
    }
}

/// Whether two runs of ASCII of the same length differ in the case of letters at most.
@inline(__always)
func equalIgnoringCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<left.count {
        let (a, b) = (left[index], right[index])
        if a != b {
            let folded = a | 0x20
            guard folded == b | 0x20, folded >= UInt8(ascii: "a"), folded <= UInt8(ascii: "z") else { return false }
        }
    }
    return true
}
