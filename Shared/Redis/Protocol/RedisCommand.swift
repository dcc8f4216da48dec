/// A command with its arguments, ready to be sent.
public struct RedisCommand: Sendable {
    /// The command in RESP.
    let bytes: [UInt8]
    /// The first key, which determines the node in a cluster; nil if any node will do.
    let key: RedisKey?

    /// Makes `name argument argument …`. If a name has two words, such as XGROUP CREATE, the second is the first
    /// argument.
    public init(_ name: String, _ arguments: any RedisArgument...) { self.init(name, arguments) }

    /// Makes `name argument argument …`.
    public init(_ name: String, _ arguments: [any RedisArgument]) {
        var writer = RESPWriter(count: 1 + arguments.count, size: arguments.reduce(0) { $0 + $1.size })
        writer.append(name)
        for argument in arguments { argument.write(to: &writer) }
        bytes = writer.bytes
        key = writer.key
    }

    /// The size of the command in bytes, as sent.
    public var size: Int { bytes.count }

    static let ping = RedisCommand("PING")
}
