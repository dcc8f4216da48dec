internal import ServiceSupport
internal import TestSupport

/// The deployed settings of Postgres and Redis, for the servers under load. Plans, memory and write rates depend on
/// them.
enum ProductSettings {
    /// As `name=value`.
    static func postgres() throws -> [String] {
        try lines(of: "postgres/postgresql.conf").compactMap { line in
            guard let equals = line.firstIndex(of: "=") else { return nil }
            let name = line[..<equals].filter { $0 != " " }
            let value = line[equals...].dropFirst().drop { $0 == " " }
            return "\(name)=" + (value.hasPrefix("'") ? value.dropFirst().dropLast() : value)
        }
    }

    /// As arguments on the command line.
    static func redis() throws -> [String] {
        try lines(of: "redis/redis.conf").flatMap { line in
            let words = line.split(separator: " ").map { $0 == "\"\"" ? "" : String($0) }
            return ["--" + words[0]] + words.dropFirst()
        }
    }

    private static func lines(of file: String) throws -> [Substring] {
        let folder = ServiceUnderTest.clients.split(separator: "/").dropLast().joined(separator: "/")
        return try String(contentsOfFile: "/\(folder)/\(file)").split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
}
