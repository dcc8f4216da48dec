public import EventLoop

/// A request as a handler sees it: the head is complete, the body may still be arriving. Copying it copies a reference.
///
/// All text is returned as raw slices of the head; nothing is decoded in advance.
public struct Request: Sendable {
    @usableFromInline let storage: RequestStorage
    var parts: HeadParts { storage.parts }
    /// The body; empty if the request has none.
    public var body: RequestBody { storage.body }
    /// When the head was complete, in the loop's nanoseconds.
    public var receivedAt: UInt64 { storage.receivedAt }

    init(storage: RequestStorage) { self.storage = storage }

    /// The method.
    public var method: Method { storage.parts.method }
    /// The method as it was sent, for a log line about an unknown one.
    public var methodText: String { String(decoding: storage.bytes[parts.methodToken.range], as: UTF8.self) }
    /// The path as it was sent, percent-encoded, with its leading slash; `*` in `OPTIONS *`.
    public var path: ArraySlice<UInt8> { storage.bytes[storage.parts.path.range] }

    /// Passes a parameter of the path to `body` without copying it, as it was sent; nil if the route has no parameter of
    /// this name.
    @inlinable
    public func withParameter<Result, E>(
        _ name: String, of parameters: PathParameters, _ body: (Span<UInt8>) throws(E) -> Result?
    ) throws(E) -> Result? {
        guard let bytes = parameter(name, of: parameters) else { return nil }
        defer { extendLifetime(storage) }
        return try body(Span(_unsafeBytes: bytes))
    }

    @usableFromInline
    func parameter(_ name: String, of parameters: PathParameters) -> UnsafeRawBufferPointer? {
        parameters.range(of: name).map { range in
            storage.withPath { UnsafeRawBufferPointer(rebasing: $0[range]) }
        }
    }

    /// The part after the first `?` as it was sent: empty after a bare `?`, nil without one.
    public var query: ArraySlice<UInt8>? { parts.query.map { storage.bytes[$0.range] } }
    /// The value of Host; empty if an HTTP/1.0 client sent none.
    public var host: ArraySlice<UInt8> { storage.bytes[parts.host.range] }
    /// The header fields.
    public var headers: RequestHeaders { RequestHeaders(storage: storage) }
    /// The other end of the connection, which is the API gateway if there is one; nil for a request made in a test.
    public var peer: SocketAddress? { storage.socket?.peer }
    /// Whether the client has not taken all of the earlier replies on this connection.
    public var isClientSlow: Bool { storage.socket?.isCongested ?? false }
    /// The peer's numeric address without its port, or its path; empty for a request made in a test.
    public var peerHost: String { storage.socket?.peerHost ?? "" }
}

extension Request {
    /// Makes a request without a connection, for tests; nil if a server would refuse it.
    public init?(
        _ method: Method, _ target: String, headers: Headers = Headers(), body: [UInt8] = []
    ) {
        var text = Array("\(method.rawValue) \(target) HTTP/1.1\r\n".utf8)
        if !headers.contains(.host) { text += Array("Host: localhost\r\n".utf8) }
        text += headers.lines
        if !body.isEmpty { text += Array("Content-Length: \(body.count)\r\n".utf8) }
        text += [0x0D, 0x0A]
        var parser = RequestParser(limits: RequestLimits())
        guard let length = try? text.withUnsafeBytes({ try parser.parse($0) }), length == text.count else { return nil }
        let head = parser.takeHead()
        storage = text.withUnsafeBytes {
            RequestStorage($0, head.parts, head.fields, body: RequestBody(body), receivedAt: 0, socket: nil)
        }
    }
}
