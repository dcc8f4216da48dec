import TestSupport
import Wire

/// The stream of facts in the service's Redis.
struct FactStream: Sendable {
    let redis: RedisServer

    struct Fact: Sendable, Equatable {
        let id: String
        let type: String
        let body: JSONValue

        static func == (one: Fact, other: Fact) -> Bool {
            one.id == other.id && one.type == other.type && one.body.text.elementsEqual(other.body.text)
        }
    }

    /// All entries, oldest first, including repeated ones.
    func all() async throws -> [Fact] {
        let parts = try await redis.command("XRANGE", "facts:workspace", "-", "+")
        func values(_ name: String) -> [String] { parts.indices.filter { parts[$0] == name }.map { parts[$0 + 1] } }
        let bodies = try values("body").map { try JSONValue(parsing: $0) }
        return zip(zip(values("id"), values("type")), bodies).map { Fact(id: $0.0, type: $0.1, body: $1) }
    }

    /// All facts, oldest first. Redis may have lost an entry: then its fact is published again with the same id.
    func distinct() async throws -> [Fact] {
        var seen: Set<String> = []
        return try await all().filter { seen.insert($0.id).inserted }
    }

    /// Waits for `count` facts of a type and returns the bodies of all facts of that type.
    func bodies(of type: String, count: Int) async throws -> [JSONValue] {
        try await eventually("\(count) of \(type)") {
            try await distinct().filter { $0.type == type }.count >= count
        }
        return try await distinct().filter { $0.type == type }.map(\.body)
    }
}
