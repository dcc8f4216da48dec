public import Contract
public import Redis
internal import Wire

/// A fact as an entry of its stream: the fields `id`, `type` and `body`.
public struct FactEntry<F: Fact>: Sendable, Equatable {
    /// The id of the outbox row, unique within the stream.
    public let id: Int64
    public let fact: F

    /// Reads an entry of the stream of `F`. An entry of an unknown type, or one that cannot be read, is counted; the
    /// result is nil then.
    public init?(_ entry: RedisStreamEntry, counting unknown: UnknownMessages) {
        func text(_ name: String) -> String? { entry[name].map { String(decoding: $0, as: UTF8.self) } }
        let type = text("type")
        guard let id = text("id").flatMap(Int64.init), let name = type.flatMap(F.Name.init),
            let body = entry["body"].flatMap({ try? JSONValue(parsing: $0) }), let fact = F(name, body)
        else {
            unknown.count(type: type, from: F.stream)
            return nil
        }
        self.id = id
        self.fact = fact
    }
}

extension OutboxRow {
    /// The command that appends the row to `stream` as a fact.
    func appendingFact(to stream: RedisKey) -> RedisCommand {
        .append(["id": String(id), "type": type, "body": body], toStream: stream)
    }
}
