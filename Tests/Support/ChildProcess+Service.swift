extension ChildProcess {
    /// Starts a built service, which has its settings from its environment.
    public static func service(_ name: String, _ settings: [String: String], log: String) throws -> ChildProcess {
        try product(name, environment: environment(settings), log: log)
    }

    /// Settings as the services read them from the environment.
    public static func environment(_ settings: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: settings.map { ("MARU_" + $0.uppercased(), $1) })
    }

    /// Bytes resident in memory that no file backs.
    public var anonymousBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status")) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    }
}
