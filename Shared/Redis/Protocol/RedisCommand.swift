/// A command with its arguments, ready to be sent.
public struct RedisCommand: Sendable {
    /// As RESP.
    let bytes: [UInt8]
    /// The first key, by which a cluster finds the node; nil where any node will do.
    let key: RedisKey?

    /// Makes `name argument argument …`; a name of two words, such as XGROUP CREATE,
    /// has its second among the arguments.
    public init(_ name: String, _ arguments: any RedisArgument...) { self.init(name, arguments) }

    /// Makes `name argument argument …`.
    public init(_ name: String, _ arguments: [any RedisArgument]) {
        var writer = RESPWriter(count: 1 + arguments.count, size: arguments.reduce(0) { $0 + $1.size })
        writer.append(name)
        for argument in arguments { argument.write(to: &writer) }
        bytes = writer.bytes
        key = writer.key
    }

    /// Bytes that are sent.
    public var size: Int { bytes.count }

    static let ping = RedisCommand("PING")
}
