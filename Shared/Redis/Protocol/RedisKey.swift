/// The name of a key.
///
/// In a cluster the part in braces determines the node: `room:{channel-7}:online` and `room:{channel-7}:typing` are on
/// one node, so one script or command may access both. Give keys that are used together the same part in braces.
public struct RedisKey: Sendable, Hashable, ExpressibleByStringInterpolation, RedisArgument, CustomStringConvertible {
    /// The name, including the part in braces.
    public let name: String

    /// Makes a key with this name.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }

    public func write(to writer: inout RESPWriter) { writer.append(self) }
}
