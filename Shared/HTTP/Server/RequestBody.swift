/// The body of a request, read piece by piece or as a whole, on the loop of its connection.
///
/// At most 64 KiB are buffered; a slow reader holds the sender back. A client that asked for `100 Continue` gets it with
/// the first read.
public struct RequestBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    fileprivate enum Source {
        case bytes([UInt8])
        case stream(BodyStream)
    }

    private let source: Source

    /// A body that is complete.
    public init(_ bytes: [UInt8] = []) { source = .bytes(bytes) }

    init(_ stream: BodyStream) { source = .stream(stream) }

    /// The length that the client declared; nil for chunks.
    public var declaredLength: Int? {
        switch source {
        case .bytes(let bytes): bytes.count
        case .stream(let stream): stream.declaredLength
        }
    }

    /// Whether the request has no body.
    public var isEmpty: Bool { declaredLength == 0 }

    /// Returns the whole body, which may have at most `limit` bytes.
    ///
    /// - Throws: `BodyError`; `tooLarge` at once if the declared length is beyond the limit.
    public func collect(upTo limit: Int) async throws(BodyError) -> [UInt8] {
        switch source {
        case .bytes(let bytes):
            guard bytes.count <= limit else { throw .tooLarge }
            return bytes
        case .stream(let stream):
            if let length = stream.declaredLength, length > limit { throw .tooLarge }
            var whole = try await stream.next() ?? []
            if let length = stream.declaredLength, length > whole.count { whole.reserveCapacity(length) }
            while whole.count <= limit, let piece = try await stream.next() { whole += piece }
            guard whole.count <= limit else { throw .tooLarge }
            return whole
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Returns the pieces as they arrive, none empty.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Source

        fileprivate init(source: Source) { self.source = source }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BodyError) -> [UInt8]? {
            switch source {
            case .bytes(let bytes):
                source = .bytes([])
                return bytes.isEmpty ? nil : bytes
            case .stream(let stream):
                return try await stream.next()
            }
        }
    }
}
