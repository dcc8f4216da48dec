/// The limits of a multipart body's parts. The length of the whole body is limited by its reader.
public struct MultipartLimits: Hashable, Sendable {
    /// The number of parts.
    public var parts = 64
    /// The bytes of one part's headers.
    public var headerBytes = 8 * 1024
    /// The bytes of a part without a file name.
    public var fieldBytes = 64 * 1024
    /// The bytes of a part with a file name.
    public var fileBytes = 16 * 1024 * 1024

    public init() {}
}
