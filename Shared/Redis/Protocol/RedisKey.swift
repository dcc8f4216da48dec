/// The name of a key.
///
/// In a cluster the part in braces decides on the node: `room:{channel-7}:online` and `room:{channel-7}:typing` are
/// together, so one script or command may touch both. Name keys that are used together so.
public struct RedisKey: Sendable, Hashable, ExpressibleByStringInterpolation, RedisArgument, CustomStringConvertible {
    /// The name, hash tag included.
    public let name: String

    /// Takes a name.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }

    public func write(to writer: inout RESPWriter) { writer.append(self) }
}
