/// A command with its arguments, ready to be sent.
public struct RedisCommand: Sendable {
    /// The command in RESP.
    let bytes: [UInt8]
    /// The first key or the shard channel, which determines the node in a cluster; nil if any node will do.
    public let key: RedisKey?
    /// Whether it publishes on a shard channel: PUBLISH at a single server, SPUBLISH in a cluster.
    let isShardPublish: Bool

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
        isShardPublish = false
    }

    private init(bytes: [UInt8], key: RedisKey?) {
        self.bytes = bytes
        self.key = key
        isShardPublish = true
    }

    /// Publishes on a channel that belongs to one node in a cluster. Messages of one channel stay in order.
    public static func publish(_ message: [UInt8], toShardChannel channel: String) -> RedisCommand {
        RedisCommand(bytes: RedisCommand("PUBLISH", channel, message).bytes, key: RedisKey(channel))
    }

    /// The command as the nodes of a cluster expect it.
    var inCluster: RedisCommand {
        guard isShardPublish else { return self }
        // `*3`, `$7` and `PUBLISH`: the name with its length is in the first 15 bytes.
        return RedisCommand(bytes: Array("*3\r\n$8\r\nSPUBLISH".utf8) + bytes[15...], key: key)
    }

    /// The size of the command in bytes, as sent.
    public var size: Int { bytes.count }

    static let ping = RedisCommand("PING")
    /// Lets a node execute the next command for a slot that is on its way to it.
    static let asking = RedisCommand("ASKING")
}
