extension ChildProcess {
    /// Starts a built service with its settings in its environment.
    public static func service(_ name: String, _ settings: [String: String], log: String) throws -> ChildProcess {
        try product(name, environment: environment(settings), log: log)
    }

    /// Settings in the form in which the services read them from the environment.
    public static func environment(_ settings: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: settings.map { ("MARU_" + $0.uppercased(), $1) })
    }

    /// The resident memory that no file backs, in bytes.
    public var anonymousBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status")) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    }
}
