import ServiceKit

/// Where the tables of messages are.
enum ChatEngine: String, ConfigValue {
    static let typeName = "postgres or citus"

    /// On one server.
    case postgres
    /// On several, divided by workspace.
    case citus

    init?(configText: String) { self.init(rawValue: configText) }

    var configText: String { rawValue }
}
