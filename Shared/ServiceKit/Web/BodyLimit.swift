/// The largest body that a route accepts.
public struct BodyLimit: Sendable {
    /// The bytes of the body without its files.
    let text: Int
    /// The number of files, and the bytes of each.
    let files: Int
    let fileSize: Int

    /// 64 KiB of fields without files.
    public static let fields = BodyLimit(text: 64 * 1024, files: 0, fileSize: 0)

    /// At most `text` bytes of fields without files.
    public static func text(_ text: Int) -> BodyLimit { BodyLimit(text: text, files: 0, fileSize: 0) }

    /// At most `text` bytes of fields and `count` files of `size` bytes each.
    public static func files(_ count: Int, of size: Int, text: Int = 256 * 1024) -> BodyLimit {
        BodyLimit(text: text, files: count, fileSize: size)
    }

    /// The bytes of the whole body, including an allowance for the headers of its parts.
    var total: Int { text + files * (fileSize + 4096) }
}
