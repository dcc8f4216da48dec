/// How large the body of a route's calls may be.
public struct BodyLimit: Sendable {
    /// Bytes of the body without its files.
    let text: Int
    /// Files, and bytes of each.
    let files: Int
    let fileSize: Int

    /// A body of fields only: 64 KiB.
    public static let fields = BodyLimit(text: 64 * 1024, files: 0, fileSize: 0)

    /// A body of fields of `text` bytes at most.
    public static func text(_ text: Int) -> BodyLimit { BodyLimit(text: text, files: 0, fileSize: 0) }

    /// Fields of `text` bytes at most and up to `count` files of `size` bytes each.
    public static func files(_ count: Int, of size: Int, text: Int = 256 * 1024) -> BodyLimit {
        BodyLimit(text: text, files: count, fileSize: size)
    }

    /// Bytes of the whole body, with some for the frames of its parts.
    var total: Int { text + files * (fileSize + 4096) }
}
