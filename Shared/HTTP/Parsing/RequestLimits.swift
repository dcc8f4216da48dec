/// The limits beyond which a request is refused.
public struct RequestLimits: Sendable {
    /// Bytes of the request line, 8 KiB; beyond, 414.
    public var requestLine = 8 * 1024
    /// Bytes of the request line and the fields together, 16 KiB; beyond, 431.
    public var head = 16 * 1024
    /// Number of fields, 100; beyond, 431.
    public var fields = 100
    /// Bytes of a chunk's extensions, 256.
    public var chunkExtension = 256
    /// Bytes of trailer fields, 8 KiB; trailers are discarded.
    public var trailer = 8 * 1024

    /// The defaults.
    public init() {}
}
