import Foundation

/// A constant statement as the sources of the stores have it.
struct StoreStatement {
    let name: String
    let sql: String

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
