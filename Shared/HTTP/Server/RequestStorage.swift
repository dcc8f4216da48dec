internal import EventLoop

/// The contents of a request, shared by all copies of it: one copy of the head's bytes, and the ranges of its fields.
@usableFromInline final class RequestStorage: Sendable {
    let bytes: [UInt8]
    let fields: [FieldLine]
    let parts: HeadParts
    let body: RequestBody
    let receivedAt: UInt64
    let socket: StreamSocket?

    init(
        _ head: UnsafeRawBufferPointer, _ parts: HeadParts, _ fields: [FieldLine], body: RequestBody,
        receivedAt: UInt64, socket: StreamSocket?
    ) {
        bytes = Array(head)
        self.fields = fields
        self.parts = parts
        self.body = body
        self.receivedAt = receivedAt
        self.socket = socket
    }

    /// Passes the bytes of the path to `body`.
    func withPath<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body($0[parts.path]) }
    }

    /// The value of the first field of this name; the pointer is valid as long as the request.
    @usableFromInline func value(of name: HeaderName) -> UnsafeRawBufferPointer? {
        guard let index = firstField(name) else { return nil }
        return bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[fields[index].value.range]) }
    }

    /// The index of the first field of this name at or after `start`.
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
