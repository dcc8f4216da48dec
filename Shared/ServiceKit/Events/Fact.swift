public import Redis
public import Wire

/// Something that another service says has become true. It may be told more than once.
public struct Fact: Sendable {
    /// Unique within its stream.
    public let id: Int64
    /// Such as `user.changed`.
    public let type: String
    public let body: JSONValue

    /// Reads an entry of a stream of facts; nil where it is none.
    public init?(_ entry: RedisStreamEntry) {
        func text(_ name: String) -> String? { entry[name].map { String(decoding: $0, as: UTF8.self) } }
        guard
            let id = text("id").flatMap(Int64.init), let type = text("type"),
            let body = entry["body"].flatMap({ try? JSONValue(parsing: $0) })
        else { return nil }
        self.id = id
        self.type = type
        self.body = body
    }
}
