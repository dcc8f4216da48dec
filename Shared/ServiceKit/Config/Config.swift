internal import Glibc

/// The settings of a process: from the environment, else from the file, else the default.
public struct Config: Sendable {
    private let entries: [ConfigEntry]
    private let values: [String: String]
    /// Where the values come from; those that are missing are defaults.
    private let sources: [String: EffectiveSetting.Source]

    /// Reads and checks all settings. Unknown ones are refused, so that a misspelt name is noticed.
    ///
    /// - Parameters:
    ///   - entries: all settings of the service.
    ///   - file: the text of the file: lines `key = value` and `#` comments.
    ///   - environment: all variables; those that do not begin with `MARU_` are ignored.
    ///   - read: reads the file named by the `…_file` setting of a secret.
    public init(
        _ entries: [ConfigEntry],
        file: String = "",
        environment: [String: String] = [:],
        read: (String) -> String? = Config.textOfFile
    ) throws(ConfigError) {
        var lines = try Self.parse(file)
        var variables: [String: String] = [:]
        for (name, value) in environment where name.hasPrefix("MARU_") {
            variables[name.dropFirst("MARU_".count).lowercased()] = value
        }
        var values: [String: String] = [:]
        var sources: [String: EffectiveSetting.Source] = [:]
        for entry in entries {
            let (variable, line) = (try Self.take(entry, from: &variables), try Self.take(entry, from: &lines))
            if let source: EffectiveSetting.Source = variable != nil ? .environment : line != nil ? .file : nil {
                sources[entry.name] = source
            }
            switch variable ?? line {
            case .text(let text): values[entry.name] = text
            case .file(let path):
                guard let text = read(path) else { throw ConfigError("\(entry.name)_file: cannot read \(path)") }
                values[entry.name] = String(text.trimmingSpaces)
            case nil: values[entry.name] = entry.fallback
            }
            guard let text = values[entry.name] else { throw ConfigError("\(entry.name) is required: \(entry.doc)") }
            guard entry.accepts(text) else { throw ConfigError("\(entry.name) must be a \(entry.range)") }
        }
        if let unknown = Set(variables.keys).union(lines.keys).min() { throw ConfigError("unknown setting \(unknown)") }
        self.entries = entries
        self.values = values
        self.sources = sources
    }

    /// All settings in the order of `--print-config`, as they are in force.
    public var effective: [EffectiveSetting] {
        entries.map { entry in
            let text = values[entry.name] ?? ""
            return EffectiveSetting(
                name: entry.name, value: entry.isSecret ? nil : text, source: sources[entry.name] ?? .standard,
                isSet: !text.isEmpty)
        }
    }

    /// The value of a setting in a source.
    private enum SourceValue {
        case text(String)
        /// The path of a file with the text.
        case file(String)
    }

    private static func take(
        _ entry: ConfigEntry, from source: inout [String: String]
    ) throws(ConfigError) -> SourceValue? {
        let text = source.removeValue(forKey: entry.name).map(SourceValue.text)
        guard entry.isSecret, let path = source.removeValue(forKey: entry.name + "_file") else { return text }
        guard text == nil else { throw ConfigError("\(entry.name) and \(entry.name)_file are both set") }
        return .file(path)
    }

    /// The value of a setting; its entry must have been passed to `init`.
    public subscript<Value>(key: ConfigKey<Value>) -> Value {
        guard let value = values[key.name].flatMap(Value.init(configText:)) else {
            preconditionFailure("\(key.name) is not a setting of this service")
        }
        return value
    }

    /// A file of all settings with description, type and default; it is complete once the required values are filled in.
    public static func template(of entries: [ConfigEntry]) -> String {
        entries.map { entry in
            let line = entry.fallback.map { "# \(entry.name) = \($0)" } ?? "\(entry.name) ="
            let more = entry.isSecret ? "; or \(entry.name)_file, a file with the text" : ""
            return "# \(entry.doc) (\(entry.range)\(entry.fallback == nil ? ", required" : "")\(more))\n\(line)\n"
        }.joined(separator: "\n")
    }

    private static func parse(_ text: String) throws(ConfigError) -> [String: String] {
        var values: [String: String] = [:]
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingSpaces
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let equals = line.firstIndex(of: "=") else { throw ConfigError("line \(number + 1): no '='") }
            let name = String(line[..<equals].trimmingSpaces)
            guard values[name] == nil else { throw ConfigError("line \(number + 1): \(name) is set twice") }
            values[name] = String(line[line.index(after: equals)...].trimmingSpaces)
        }
        return values
    }

    /// The text of a small file; nil if it cannot be read or is not UTF-8.
    public static func textOfFile(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The reason why settings are refused; it never contains a secret.
public struct ConfigError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
