/// What a request may at most be before it is refused.
public struct RequestLimits: Sendable {
    /// Bytes of the request line, 8 KiB; beyond, 414.
    public var requestLine = 8 * 1024
    /// Bytes of request line and fields together, 16 KiB; beyond, 431.
    public var head = 16 * 1024
    /// Fields, 100; beyond, 431.
    public var fields = 100
    /// Bytes of a chunk's extensions, 256.
    public var chunkExtension = 256
    /// Bytes of trailer fields, which are read past, 8 KiB.
    public var trailer = 8 * 1024

    /// The defaults.
    public init() {}
}
