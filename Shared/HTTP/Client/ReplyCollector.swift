/// Collects a reply from pieces, within limits.
struct ReplyCollector {
    /// The largest size of all head lines together, with those of interim replies and redirects.
    static let maximumHeadSize = 65_536

    private(set) var headers = Headers()
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false
    private var headSize = 0
    private let maximumBodySize: Int

    init(maximumBodySize: Int) { self.maximumBodySize = maximumBodySize }

    /// Takes a status line, a field or an empty line; a status line begins the reply again.
    ///
    /// - Returns: whether to continue.
    mutating func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
        headSize += line.count
        guard headSize <= Self.maximumHeadSize else {
            isTooLarge = true
            return false
        }
        if line.starts(with: "HTTP/".utf8) {
            headers = Headers()
            body = []
        } else {
            headers.append(received: line)
        }
        return true
    }

    /// Takes more of the body.
    ///
    /// - Returns: whether to continue.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= maximumBodySize else {
            isTooLarge = true
            body = []
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }
}
