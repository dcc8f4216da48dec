/// One entry of a stream.
public struct RedisStreamEntry: Sendable, Equatable {
    /// The id of an entry: its time and its number within the millisecond. Ids ascend.
    public struct ID: Sendable, Hashable, Comparable, CustomStringConvertible, RedisArgument {
        /// Milliseconds since 1970 by the server's clock, unless the writer chose the id.
        public let milliseconds: UInt64
        public let number: UInt64

        /// The id before every entry.
        public static let zero = ID(milliseconds: 0, number: 0)

        public init(milliseconds: UInt64, number: UInt64) {
            self.milliseconds = milliseconds
            self.number = number
        }

        /// Parses the server's form, `1526919030474-55`; nil for any other text.
        public init?(_ text: String) {
            let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let milliseconds = UInt64(parts[0]), let number = UInt64(parts[1]) else {
                return nil
            }
            self.init(milliseconds: milliseconds, number: number)
        }

        public var description: String { "\(milliseconds)-\(number)" }

        public static func < (left: ID, right: ID) -> Bool {
            (left.milliseconds, left.number) < (right.milliseconds, right.number)
        }

        public func write(to writer: inout RESPWriter) { writer.append(description) }
    }

    /// One name with its value.
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: [UInt8]
    }

    public let id: ID
    /// The fields in the order in which they were written.
    public let fields: [Field]

    /// The value of the first field with this name.
    public subscript(name: String) -> [UInt8]? { fields.first { $0.name == name }?.value }
}

extension RedisStreamEntry {
    /// Parses `[id, [field, value, …]]`; nil if the entry has been deleted from the stream.
    init?(_ reply: RedisValue) throws(RedisError) {
        let parts = try reply.requireArray()
        guard parts.count == 2 else { throw .unexpectedReply("not an entry of a stream") }
        id = try ID(reply: parts[0])
        guard !parts[1].isNull else { return nil }
        var fields: [Field] = []
        for (name, value) in try parts[1].requirePairs() {
            fields.append(Field(name: try name.requireText(), value: try value.requireBytes()))
        }
        self.fields = fields
    }

    /// Parses an array of entries, without those that have been deleted.
    static func list(_ reply: RedisValue) throws(RedisError) -> [RedisStreamEntry] {
        var entries: [RedisStreamEntry] = []
        for entry in try reply.requireArray() {
            if let entry = try RedisStreamEntry(entry) { entries.append(entry) }
        }
        return entries
    }
}

extension RedisStreamEntry.ID {
    init(reply: RedisValue) throws(RedisError) {
        guard let id = Self(try reply.requireText()) else { throw .unexpectedReply("not the id of an entry") }
        self = id
    }
}
