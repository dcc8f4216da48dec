internal import Wire

/// Writes a command as RESP: an array of `count` bulk strings.
public struct RESPWriter {
    private var output: ByteWriter
    /// The first key among the arguments.
    private(set) var key: RedisKey?

    /// - Parameter size: the approximate size of the arguments in bytes.
    init(count: Int, size: Int) {
        output = ByteWriter(capacity: 32 + 16 * count + size)
        appendHeader(UInt8(ascii: "*"), count)
    }

    var bytes: [UInt8] { output.bytes }

    /// Appends one argument of UTF-8 text.
    public mutating func append(_ text: String) {
        appendHeader(UInt8(ascii: "$"), text.utf8.count)
        output.append(text)
        output.append("\r\n" as StaticString)
    }

    /// Appends one argument of bytes.
    public mutating func append(_ bytes: [UInt8]) {
        appendHeader(UInt8(ascii: "$"), bytes.count)
        output.append(bytes)
        output.append("\r\n" as StaticString)
    }

    /// Appends a key; the first key of a command determines its node in a cluster.
    mutating func append(_ key: RedisKey) {
        if self.key == nil { self.key = key }
        append(key.name)
    }

    private mutating func appendHeader(_ mark: UInt8, _ count: Int) {
        output.append(mark)
        output.append(decimal: count)
        output.append("\r\n" as StaticString)
    }
}
