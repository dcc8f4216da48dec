import Foundation

/// A constant statement as the sources of the stores have it.
struct StoreStatement {
    let name: String
    let sql: String

    /// The reason why a router of shards does not pass the statement on as it is; nil if it does. It inserts nothing beside another
    /// statement, computes volatile functions itself, and locks only rows of one shard.
    var routingObstacle: String? {
        let lines = sql.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let text = lines.joined(separator: " ")
        if text.contains(/\( ?insert into/) || text.hasPrefix("with ") && text.contains(/\) insert into/) {
            return "an insert beside another statement"
        }
        if text.contains(/\b(?:nextval|random|clock_timestamp|gen_random_uuid|timeofday|pg_advisory\w*)\(/) {
            return "a volatile function"
        }
        if text.contains(/for (?:no key |key )?(?:update|share)/), !text.contains(/workspace = \$\d/) {
            return "a lock without a workspace"
        }
        return nil
    }

    /// All constant statements of the service, in the order of their files.
    static func all() throws -> [StoreStatement] {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let folder = "/\(root)/Services/chat-service/Store"
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(".swift") }
            .flatMap { file in statements(in: try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) }
    }

    private static func statements(in source: String) -> [StoreStatement] {
        let declaration = /\.(?:read|write)\(\s*"([^"]+)",\s*(?:"""\n(.*?)\n *"""|"([^"\n]*)")\s*\)/
        return source.matches(of: declaration.dotMatchesNewlines()).map { match in
            let text = String(match.2 ?? match.3 ?? "")
            return StoreStatement(name: String(match.1), sql: text.replacing("\\\\", with: "\\"))
        }
    }
}
