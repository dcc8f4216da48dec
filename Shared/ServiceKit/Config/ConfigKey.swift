/// One setting of a service: name, description, type and default.
public struct ConfigKey<Value: ConfigValue>: Sendable {
    /// The name in the file, in lower case with underscores. In the environment it is in upper case after `MARU_`.
    public let name: String
    /// A description for operators, with the unit if the type does not show it.
    public let doc: String
    /// The default; nil if the setting is required.
    public let fallback: Value?
    private let isWithin: @Sendable (Value) -> Bool
    /// The limits in words, such as `1 at least`; nil if any value is accepted.
    private let limits: String?

    /// A setting with a default.
    public init(_ name: String, default fallback: Value, _ doc: String) {
        self.name = name
        self.doc = doc
        self.fallback = fallback
        isWithin = { _ in true }
        limits = nil
    }

    /// A setting with a default and a lower limit.
    public init(_ name: String, default fallback: Value, atLeast least: Value, _ doc: String) where Value: Comparable {
        self.name = name
        self.doc = doc
        self.fallback = fallback
        isWithin = { $0 >= least }
        limits = "\(least.configText) at least"
    }

    /// A setting with a default and both limits.
    public init(
        _ name: String, default fallback: Value, atLeast least: Value, atMost most: Value, _ doc: String
    ) where Value: Comparable {
        self.name = name
        self.doc = doc
        self.fallback = fallback
        isWithin = { (least...most).contains($0) }
        limits = "\(least.configText) at least, \(most.configText) at most"
    }

    /// A required setting.
    public init(_ name: String, _ doc: String) {
        self.name = name
        self.doc = doc
        fallback = nil
        isWithin = { _ in true }
        limits = nil
    }

    /// A required secret with a minimum length.
    init(_ name: String, charactersAtLeast count: Int, _ doc: String) where Value == Secret {
        self.name = name
        self.doc = doc
        fallback = nil
        isWithin = { $0.revealed.count >= count }
        limits = "\(count) characters at least"
    }

    /// The setting without its static type, for lists of settings.
    public var entry: ConfigEntry { entry(default: fallback?.configText) }

    /// The setting with another default.
    func entry(default fallback: String?) -> ConfigEntry {
        ConfigEntry(
            name: name,
            doc: doc,
            typeName: Value.typeName,
            limits: limits,
            fallback: fallback,
            isSecret: Value.self is any SecretConfigValue.Type,
            accepts: { [isWithin] in Value(configText: $0).map(isWithin) ?? false }
        )
    }
}

/// A setting without its static type, as `--print-config` lists it.
public struct ConfigEntry: Sendable {
    let name: String
    let doc: String
    let typeName: String
    let limits: String?
    let fallback: String?
    let isSecret: Bool
    let accepts: @Sendable (String) -> Bool

    /// The accepted values, such as `number, 1 at least`.
    var range: String { limits.map { "\(typeName), \($0)" } ?? typeName }
}
