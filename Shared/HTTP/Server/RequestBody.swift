/// The body of a request, read piece by piece or at once, on the loop of its connection.
///
/// What the reader has not taken stays with the sender: at most 64 KiB wait here. A client that asked for
/// `100 Continue` gets it with the first read.
public struct RequestBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    fileprivate enum Source {
        case bytes([UInt8])
        case stream(BodyStream)
    }

    private let source: Source

    /// A body made by hand.
    public init(_ bytes: [UInt8] = []) { source = .bytes(bytes) }

    init(_ stream: BodyStream) { source = .stream(stream) }

    /// The length that the client has declared; nil where it sends chunks.
    public var declaredLength: Int? {
        switch source {
        case .bytes(let bytes): bytes.count
        case .stream(let stream): stream.declaredLength
        }
    }

    /// Whether there is no body at all.
    public var isEmpty: Bool { declaredLength == 0 }

    /// All of the body, of which there may be `limit` bytes.
    ///
    /// - Throws: `BodyError`; `tooLarge` at once where the declared length tells.
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

    /// Hands out the pieces as they come, none empty.
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
