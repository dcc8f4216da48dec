/// Bytes that replace others of a file. Its size stays.
struct FileEdit: Equatable, Sendable {
    let offset: Int
    let bytes: [UInt8]

    var end: Int { offset + bytes.count }

    init(offset: Int, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }

    init(offset: Int, zeros count: Int) { self.init(offset: offset, bytes: [UInt8](repeating: 0, count: count)) }
}
