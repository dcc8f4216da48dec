/// A value that can be one argument of a command: a key, text, bytes or a number.
public protocol RedisArgument: Sendable {
    /// Appends itself as exactly one argument.
    func write(to writer: inout RESPWriter)

    /// The approximate size in bytes.
    var size: Int { get }
}

extension RedisArgument {
    public var size: Int { 24 }
}

extension String: RedisArgument {
    public var size: Int { utf8.count }
    public func write(to writer: inout RESPWriter) { writer.append(self) }
}

extension [UInt8]: RedisArgument {
    public var size: Int { count }
    public func write(to writer: inout RESPWriter) { writer.append(self) }
}

extension Int: RedisArgument {
    public func write(to writer: inout RESPWriter) { writer.append(String(self)) }
}

extension Int64: RedisArgument {
    public func write(to writer: inout RESPWriter) { writer.append(String(self)) }
}

extension Double: RedisArgument {
    public func write(to writer: inout RESPWriter) { writer.append(description) }
}
