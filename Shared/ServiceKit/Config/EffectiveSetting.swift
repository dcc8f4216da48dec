public import Wire

/// A setting as it is in force, for operators.
public struct EffectiveSetting: Sendable, Equatable {
    /// Where a value comes from.
    public enum Source: String, Sendable {
        case environment, file
        case standard = "default"
    }

    public let name: String
    /// Nil for a secret, which is never shown.
    public let value: String?
    public let source: Source
    /// Whether a secret has a text.
    public let isSet: Bool
}

extension EffectiveSetting: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            if let value { json.field("value", value) } else { json.field("secret", isSet ? "set" : "empty") }
            json.field("source", source.rawValue)
        }
    }
}
