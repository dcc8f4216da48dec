/// What can stand as one argument of a command: keys, text, bytes and numbers.
public protocol RedisArgument: Sendable {
    /// Appends itself as exactly one argument.
    func write(to writer: inout RESPWriter)
}

extension String: RedisArgument {
    public func write(to writer: inout RESPWriter) { writer.append(self) }
}

extension [UInt8]: RedisArgument {
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
