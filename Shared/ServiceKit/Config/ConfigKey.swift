/// One setting of a service: its name, what it means, and what holds when nobody sets it.
public struct ConfigKey<Value: ConfigValue>: Sendable {
    /// Lower-case with underscores; `MARU_` and upper case in the environment.
    public let name: String
    /// A sentence for operators, with the unit where the type does not show it.
    public let doc: String
    /// What holds without a setting; nil where one must be given.
    public let fallback: Value?
    private let isWithin: @Sendable (Value) -> Bool
    /// In words, such as `1 at least`; nil where any value will do.
    private let limits: String?

    /// A setting with a default.
    public init(_ name: String, default fallback: Value, _ doc: String) {
        self.name = name
        self.doc = doc
        self.fallback = fallback
        isWithin = { _ in true }
        limits = nil
    }

    /// A setting with a default and a least value, below which the service would not do its work.
    public init(_ name: String, default fallback: Value, atLeast least: Value, _ doc: String) where Value: Comparable {
        self.name = name
        self.doc = doc
        self.fallback = fallback
        isWithin = { $0 >= least }
        limits = "\(least.configText) at least"
    }

    /// A setting with a default and limits, beyond which the service would not do its work.
    public init(
        _ name: String, default fallback: Value, atLeast least: Value, atMost most: Value, _ doc: String
    ) where Value: Comparable {
        self.name = name
        self.doc = doc
        self.fallback = fallback
        isWithin = { (least...most).contains($0) }
        limits = "\(least.configText) at least, \(most.configText) at most"
    }

    /// A setting that must be given.
    public init(_ name: String, _ doc: String) {
        self.name = name
        self.doc = doc
        fallback = nil
        isWithin = { _ in true }
        limits = nil
    }

    /// A secret that must be given and have so many characters at least.
    init(_ name: String, charactersAtLeast count: Int, _ doc: String) where Value == Secret {
        self.name = name
        self.doc = doc
        fallback = nil
        isWithin = { $0.revealed.count >= count }
        limits = "\(count) characters at least"
    }

    /// The key without its value's type, for lists of keys.
    public var entry: ConfigEntry { entry(default: fallback?.configText) }

    /// The same with a default of the list's own.
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

/// A setting as `--print-config` lists it.
public struct ConfigEntry: Sendable {
    let name: String
    let doc: String
    let typeName: String
    let limits: String?
    let fallback: String?
    let isSecret: Bool
    let accepts: @Sendable (String) -> Bool

    /// What is accepted, such as `number, 1 at least`.
    var range: String { limits.map { "\(typeName), \($0)" } ?? typeName }
}
