public import EventLoop

/// A request as a handler sees it: the head complete, the body still coming. Copying it copies a reference.
///
/// All text is handed out raw, as slices of the head: nothing is decoded before somebody asks.
public struct Request: Sendable {
    @usableFromInline let storage: HeadStorage
    var parts: HeadParts { storage.parts }
    /// The body; empty where the request has none.
    public var body: RequestBody { storage.body }
    /// When the head was complete, in the loop's nanoseconds.
    public var receivedAt: UInt64 { storage.receivedAt }

    init(storage: HeadStorage, parts: HeadParts, body: RequestBody, receivedAt: UInt64, socket: StreamSocket?) {
        storage.complete(parts, body, receivedAt: receivedAt, socket)
        self.storage = storage
    }

    /// The method.
    public var method: Method { storage.parts.method }
    /// The method as it was sent, for a log line about an unknown one.
    public var methodText: String { String(decoding: storage.bytes[parts.methodToken.range], as: UTF8.self) }
    /// The path as it was sent, percent-encoded, from its first slash on; `*` in `OPTIONS *`.
    public var path: ArraySlice<UInt8> { storage.bytes[storage.parts.path.range] }

    /// Lets `body` look at a parameter of the path where it stands, as it was sent; nil where the route has none of this
    /// name.
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

    /// What follows the first `?` as it was sent: empty after a bare `?`, nil where there is none.
    public var query: ArraySlice<UInt8>? { parts.query.map { storage.bytes[$0.range] } }
    /// The value of Host, empty where a client of HTTP/1.0 sent none.
    public var host: ArraySlice<UInt8> { storage.bytes[parts.host.range] }
    /// The header fields.
    public var headers: RequestHeaders { RequestHeaders(storage: storage) }
    /// The other end of the connection, which is the API gateway where one stands before;
    /// nil for a request made by hand.
    public var peer: SocketAddress? { storage.socket?.peer }
    /// The peer's numeric address without its port, or its path; empty for a request made by hand.
    public var peerHost: String { storage.socket?.peerHost ?? "" }
}

extension Request {
    /// A request made by hand, for tests of what stands above the server; nil where a server would refuse it.
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
        let storage = HeadStorage()
        text.withUnsafeBytes { parser.fill(storage, from: $0) }
        self.init(storage: storage, parts: parser.parts, body: RequestBody(body), receivedAt: 0, socket: nil)
    }
}
